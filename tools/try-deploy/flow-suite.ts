import { readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { type Judgement, judge, type KnownFailure, type TestResult } from './known-failures.ts';
import { runProgram } from './run-program.ts';

/** The fields that are read from the report of Vitest's reporter `json`. */
interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly message: string;
    readonly assertionResults: readonly {
      readonly fullName: string;
      readonly status: string;
      readonly failureMessages?: readonly string[];
    }[];
  }[];
}

interface SuiteOptions {
  /** The platform in the form of the flow tests' variable HOSTS. */
  readonly hosts: object;
  readonly env: NodeJS.ProcessEnv;
  readonly folder: string;
  readonly signal: AbortSignal;
}

const knownFailuresFile = new URL('known-failures.json', import.meta.url);

/** Runs the flow tests against a deployed stage and compares the results with the known failures. */
export async function runFlowSuite({ hosts, env, folder, signal }: SuiteOptions): Promise<Judgement> {
  const report = join(folder, 'flow.json');
  const vitest = join('node_modules', 'vitest', 'vitest.mjs');
  await runProgram(
    [
      process.execPath,
      vitest,
      'run',
      '--project',
      'flow',
      '--reporter=default',
      '--reporter=json',
      `--outputFile=${report}`,
    ],
    { env: { ...env, HOSTS: JSON.stringify(hosts) }, log: join(folder, 'flow.log'), signal, accepted: [0, 1] },
  );
  const knownFailures: KnownFailure[] = JSON.parse(await readFile(knownFailuresFile, 'utf8'));
  return judge(readResults(JSON.parse(await readFile(report, 'utf8'))), knownFailures);
}

/** Reads the result of each test. A file that fails before its first test counts as a failed test without a name. */
export function readResults({ testResults }: Report): TestResult[] {
  return testResults.flatMap(({ name, message, assertionResults }) => {
    const file = relative(process.cwd(), name);
    const results = assertionResults.map(
      ({ fullName, status, failureMessages: [first] = [] }): TestResult => ({
        file,
        test: fullName,
        state: status === 'passed' || status === 'failed' ? status : 'skipped',
        message: first?.split('\n')[0],
      }),
    );
    return message === '' ? results : [...results, { file, test: '', state: 'failed', message }];
  });
}
