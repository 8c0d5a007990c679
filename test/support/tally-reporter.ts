import type { Reporter, TestModule, TestRunEndReason } from 'vitest/node';

/** Ends a run with one line that people and machines read alike: `N passed, N failed`. */
export class TallyReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[], reason: TestRunEndReason): void {
    const results = modules.flatMap((module) => [...module.children.allTests()]).map((test) => test.result().state);
    const count = (state: string) => results.filter((result) => result === state).length;
    // A file that did not even load has no tests that could fail, and a run that was stopped none that did.
    const broken = modules.filter((module) => module.errors().length > 0).length + errors.length;
    const failed = count('failed') + broken + (reason === 'interrupted' ? 1 : 0);
    const skipped = count('skipped');
    process.stdout.write(`\n${count('passed')} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}\n`);
  }
}
