/** What must be ended again, in the reverse order of starting. */
export class Stoppers {
  readonly #steps: (() => unknown)[] = [];
  #stopped: Promise<void> | undefined;

  add(step: () => unknown): void {
    this.#steps.push(step);
  }

  /** Ends everything once; every step is tried, whatever becomes of the others. */
  stop(): Promise<void> {
    this.#stopped ??= this.#run();
    return this.#stopped;
  }

  async #run(): Promise<void> {
    const failures: unknown[] = [];
    for (const step of this.#steps.reverse()) {
      try {
        await step();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw new AggregateError(failures, 'not everything could be stopped');
  }
}
