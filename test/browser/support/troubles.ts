import type { Page } from 'playwright-core';

/**
 * What browsers report of the pages of a test: errors in the console, exceptions that nothing caught, and loads that the
 * security policy refused.
 */
export class Troubles {
  #found: string[] = [];

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

  /** Returns what was reported since the last call. */
  take(): string[] {
    const found = this.#found;
    this.#found = [];
    return found;
  }
}
