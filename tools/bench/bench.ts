/** A promise with the measured figure. */
export interface PromiseRow {
  readonly promise: string;
  readonly figure: string;
  readonly isKept: boolean;
}

export interface RunOptions {
  /** Measures only for a few seconds. The figures are too inexact to be judged: the run shows that the bench works. */
  readonly quick: boolean;
  /** A folder that `assemble` wrote, so that several quick benches need only one. Absent: the bench builds its own. */
  readonly assembled?: string | undefined;
  /** The bench's own options. */
  readonly args: readonly string[];
}

/** A measurement. `run` prints its own tables and returns the promises. */
export interface Bench {
  readonly name: string;
  readonly about: string;
  run(options: RunOptions): Promise<readonly PromiseRow[]>;
}

/** A measured figure beside the promised one. */
interface Measured {
  readonly figure: number;
  readonly promised: number;
  /** Formats both figures. */
  readonly inWords?: (figure: number) => string;
}

/** The promise that a figure is not above another. */
export const atMost = (what: string, { figure, promised, inWords = String }: Measured): PromiseRow => ({
  promise: `${what}: at most ${inWords(promised)}`,
  figure: inWords(figure),
  isKept: figure <= promised,
});

/** The promise that a figure is not below another. */
export const atLeast = (what: string, { figure, promised, inWords = String }: Measured): PromiseRow => ({
  promise: `${what}: at least ${inWords(promised)}`,
  figure: inWords(figure),
  isKept: figure >= promised,
});

/** A promise about many things. Prints its exceptions. */
export function promiseWithout(exceptions: readonly string[], promise: string): PromiseRow {
  for (const exception of exceptions) console.log(exception);
  return { promise, figure: `${exceptions.length} exceptions`, isKept: exceptions.length === 0 };
}
