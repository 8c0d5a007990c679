/** The steps that stop what was started, in reverse order of starting. */
export class Stoppers {
  readonly #steps: (() => unknown)[] = [];
  #stopped: Promise<void> | undefined;

  add(step: () => unknown): void {
    this.#steps.push(step);
  }

  /**
   * Runs all steps once. The other steps run even if a step fails.
   * @throws AggregateError with the errors of the failed steps
   */
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
    if (failures.length > 0) throw new AggregateError(failures, 'some parts of the platform did not stop');
  }
}
