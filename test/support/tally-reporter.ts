import { readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Reporter, TestModule, TestRunEndReason } from 'vitest/node';

/** Numbers of tests. */
interface Tally {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/**
 * Prints `N passed, N failed` at the end of a run. If `TALLY_FOLDER` names a folder, the numbers of other runs with the
 * same folder that have ended are added.
 */
export class TallyReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[], reason: TestRunEndReason): void {
    const results = modules.flatMap((module) => [...module.children.allTests()]).map((test) => test.result().state);
    const count = (state: string) => results.filter((result) => result === state).length;
    // A file that fails to load, or a stopped run, has no failed test, but counts as a failure too.
    const broken = modules.filter((module) => module.errors().length > 0).length + errors.length;
    const failed = count('failed') + broken + (reason === 'interrupted' ? 1 : 0);
    const tally = withOthers({ passed: count('passed'), failed, skipped: count('skipped') });
    const skipped = tally.skipped > 0 ? `, ${tally.skipped} skipped` : '';
    process.stdout.write(`\n${tally.passed} passed, ${tally.failed} failed${skipped}\n`);
  }
}

function withOthers(run: Tally): Tally {
  const { TALLY_FOLDER: folder } = process.env;
  if (folder === undefined) return run;
  // Another run may read the folder at this moment.
  writeFileSync(join(folder, `${process.pid}.part`), JSON.stringify(run));
  renameSync(join(folder, `${process.pid}.part`), join(folder, `${process.pid}.json`));
  const files = readdirSync(folder).filter((file) => file.endsWith('.json'));
  const all = files.map((file): Tally => JSON.parse(readFileSync(join(folder, file), 'utf8')));
  const sum = (read: (tally: Tally) => number) => all.reduce((total, tally) => total + read(tally), 0);
  return {
    passed: sum(({ passed }) => passed),
    failed: sum(({ failed }) => failed),
    skipped: sum(({ skipped }) => skipped),
  };
}
