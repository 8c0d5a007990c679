const tickMs = 1_000;

/** Where the steps are shown. */
interface Screen {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

/**
 * Shows the steps of a start, each in a line. On a terminal, the line of the running step counts the seconds, so a
 * reader sees that the start goes on.
 */
export class Progress {
  readonly #screen: Screen | undefined;
  #ticking: NodeJS.Timeout | undefined;

  /** @param screen absent: nothing is shown */
  constructor(screen: Screen | undefined) {
    this.#screen = screen;
  }

  /** Shows a line that belongs to no step. */
  note(text: string): void {
    this.end();
    this.#screen?.write(`${text}\n`);
  }

  /** Ends the running step and begins the next one. */
  step(text: string): void {
    this.end();
    if (!this.#screen?.isTTY) {
      this.#screen?.write(`${text} …\n`);
      return;
    }
    const startedAt = performance.now();
    const show = (): unknown =>
      this.#screen?.write(`\r${text} … ${Math.round((performance.now() - startedAt) / 1_000)} s`);
    show();
    this.#ticking = setInterval(show, tickMs).unref();
  }

  /** Ends the running step. */
  end(): void {
    if (this.#ticking === undefined) return;
    clearInterval(this.#ticking);
    this.#ticking = undefined;
    this.#screen?.write('\n');
  }
}
