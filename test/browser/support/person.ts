import type { Locator, Page } from 'playwright-core';

type Role = Parameters<Page['getByRole']>[0];

/** A person with a pointer. Counts clicks and typed fields, as the promises of the dashboard count them. */
export class Person {
  readonly page: Page;
  clicks = 0;
  typedFields = 0;

  constructor(page: Page) {
    this.page = page;
  }

  /** Clicks the first thing that has the role and the name: campaigns may have the names of buttons. */
  async click(role: Role, name: string | RegExp): Promise<void> {
    await this.clickOn(this.page.getByRole(role, { name }).first());
  }

  /** Types a field. A click leads to it, unless the application has led the person there. */
  async type(label: string, text: string): Promise<void> {
    const field = this.page.getByLabel(label);
    await field.waitFor();
    if (!(await isFocused(field))) await this.clickOn(field);
    this.typedFields += 1;
    await this.page.keyboard.type(text);
  }

  async clickOn(target: Locator): Promise<void> {
    await target.click();
    this.clicks += 1;
  }
}

/** Whether the focus is on a thing. */
export const isFocused = async (target: Locator): Promise<boolean> =>
  (await target.and(target.page().locator(':focus')).count()) > 0;
