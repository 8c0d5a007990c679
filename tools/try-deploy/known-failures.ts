/** A flow test that fails on the emulator, because of a fault of the emulator or a setting of the stage. */
export interface KnownFailure {
  readonly file: string;
  /** The names of the suites and the test, with spaces between them. */
  readonly test: string;
  /** The fault or the setting that makes the test fail. */
  readonly reason: string;
  /** Whether the test passes on a machine that is fast enough. */
  readonly mayPass?: true;
}

/** The result of one flow test. */
export interface TestResult {
  readonly file: string;
  readonly test: string;
  readonly state: 'passed' | 'failed' | 'skipped';
  /** The first line of the failure. */
  readonly message?: string | undefined;
}

export interface Judgement {
  readonly passed: number;
  readonly skipped: number;
  /** The failures that a listed reason explains. */
  readonly known: number;
  /**
   * One sentence for each failure without a listed reason, and for each listed reason that explains no failure any
   * more.
   */
  readonly problems: readonly string[];
}

/**
 * Compares the results with the known failures. A known failure that passes, is skipped or is gone is a problem too.
 */
export function judge(results: readonly TestResult[], knownFailures: readonly KnownFailure[]): Judgement {
  const title = ({ file, test }: { readonly file: string; readonly test: string }) => `${file}: ${test}`;
  const known = new Set(knownFailures.map(title));
  const states = new Map(results.map((result) => [title(result), result.state]));
  const count = (state: TestResult['state']) => results.filter((result) => result.state === state).length;
  const unknown = results.filter((result) => result.state === 'failed' && !known.has(title(result)));
  const failed = knownFailures.filter((failure) => states.get(title(failure)) === 'failed');
  const obsolete = knownFailures
    .filter((failure) => !failed.includes(failure))
    .filter((failure) => !(failure.mayPass && states.get(title(failure)) === 'passed'))
    .map(title);
  return {
    passed: count('passed'),
    skipped: count('skipped'),
    known: failed.length,
    problems: [
      ...unknown.map((result) => `${title(result)}: ${result.message ?? 'failed'}`),
      ...obsolete.map((name) => `${name}: is a known failure, but ${states.get(name) ?? 'does not exist'}`),
    ],
  };
}
