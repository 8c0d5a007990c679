import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { Reporter, TestModule, TestRunEndReason } from 'vitest/node';

/** Numbers of tests. */
interface Tally {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/**
 * Prints `N passed, N failed` at the end of a run. If `TALLY_FILE` names a file, the numbers of earlier runs with the
 * same file are added.
 */
export class TallyReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[], reason: TestRunEndReason): void {
    const results = modules.flatMap((module) => [...module.children.allTests()]).map((test) => test.result().state);
    const count = (state: string) => results.filter((result) => result === state).length;
    // A file that fails to load, or a stopped run, has no failed test, but counts as a failure too.
    const broken = modules.filter((module) => module.errors().length > 0).length + errors.length;
    const failed = count('failed') + broken + (reason === 'interrupted' ? 1 : 0);
    const tally = addToFile({ passed: count('passed'), failed, skipped: count('skipped') });
    const skipped = tally.skipped > 0 ? `, ${tally.skipped} skipped` : '';
    process.stdout.write(`\n${tally.passed} passed, ${tally.failed} failed${skipped}\n`);
  }
}

function addToFile(run: Tally): Tally {
  const { TALLY_FILE: file } = process.env;
  if (file === undefined) return run;
  const earlier: Tally = existsSync(file)
    ? JSON.parse(readFileSync(file, 'utf8'))
    : { passed: 0, failed: 0, skipped: 0 };
  const sum = {
    passed: earlier.passed + run.passed,
    failed: earlier.failed + run.failed,
    skipped: earlier.skipped + run.skipped,
  };
  writeFileSync(file, JSON.stringify(sum));
  return sum;
}
