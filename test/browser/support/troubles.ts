import type { Page } from 'playwright-core';

/**
 * What browsers report of the pages of a test: errors in the console, exceptions that nothing caught, and loads that the
 * security policy refused.
 */
export class Troubles {
  #found: string[] = [];
  #expected: readonly number[] = [];

  /** Begins to collect what a page reports. Call it before the page is led anywhere. */
  async watch(page: Page): Promise<void> {
    page.on('pageerror', ({ message }) => this.#found.push(`exception: ${message}`));
    page.on('console', (message) => {
      if (message.type() === 'error') this.#found.push(`console: ${message.text()} (${message.location().url})`);
    });
    await page.exposeFunction('reportViolation', (text: string) => this.#found.push(`policy: ${text}`));
    await page.addInitScript(`document.addEventListener('securitypolicyviolation', (event) =>
      reportViolation(event.violatedDirective + ' ' + event.blockedURI))`);
  }

  /** The server will refuse something with these statuses, and the browser report it: that is no trouble of this test. */
  expectRefusals(...statuses: readonly number[]): void {
    this.#expected = statuses;
  }

  /** Returns what was reported since the last call. */
  take(): string[] {
    const found = this.#found.filter(
      (text) => !this.#expected.some((status) => text.includes(`a status of ${status} `)),
    );
    this.#found = [];
    this.#expected = [];
    return found;
  }
}
