import type { Reporter, TestModule, TestRunEndReason } from 'vitest/node';

/** Prints `N passed, N failed` at the end of a run. */
export class TallyReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[], reason: TestRunEndReason): void {
    const results = modules.flatMap((module) => [...module.children.allTests()]).map((test) => test.result().state);
    const count = (state: string) => results.filter((result) => result === state).length;
    // A file that fails to load and a stopped run have no failed test. They count as failures too.
    const broken = modules.filter((module) => module.errors().length > 0).length + errors.length;
    const failed = count('failed') + broken + (reason === 'interrupted' ? 1 : 0);
    const skipped = count('skipped');
    process.stdout.write(`\n${count('passed')} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}\n`);
  }
}
