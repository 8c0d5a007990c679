import type { Locator, Page } from 'playwright-core';
import { isFocused } from './person.ts';

type Role = Parameters<Page['getByRole']>[0];
interface Stop {
  readonly name: string;
  /** The same for things that look the same. */
  readonly sort: string;
  /** Where it has to show that it has the focus. */
  readonly box: { readonly x: number; readonly y: number; readonly width: number; readonly height: number };
}

/** More stops than any screen has. */
const maximumStops = 120;

/** A person who has a keyboard and nothing else. Notes every sort of stop that does not show that it has the focus. */
export class Keyboard {
  readonly page: Page;
  /** What had the focus and did not look different. */
  readonly invisible: string[] = [];
  readonly #seen = new Set<string>();

  constructor(page: Page) {
    this.page = page;
  }

  press(...keys: readonly string[]): Promise<void> {
    return keys.reduce((before, key) => before.then(() => this.page.keyboard.press(key)), Promise.resolve());
  }

  type(text: string): Promise<void> {
    return this.page.keyboard.type(text);
  }

  /** Tabs to the first thing with a role and a name, as soon as the screen has it. */
  async tabTo(role: Role, name: string | RegExp): Promise<void> {
    const wanted = this.page.getByRole(role, { name }).first();
    await wanted.waitFor();
    const passed: string[] = [];
    while (!(await isFocused(wanted))) {
      passed.push(await this.#tab());
      if (passed.length > maximumStops) throw new Error(`Tab reaches no ${role} ${name}. It passes ${passed.join()}`);
    }
  }

  /** Follows the link, or presses the button, with Enter. */
  async enter(role: Role, name: string | RegExp): Promise<void> {
    await this.tabTo(role, name);
    await this.press('Enter');
  }

  /** Chooses an entry of the open menu with the arrows. */
  async choose(name: string | RegExp): Promise<void> {
    const wanted = this.page.getByRole('menuitem', { name }).first();
    await wanted.waitFor();
    for (let moves = 0; !(await isFocused(wanted)); moves += 1) {
      if (moves > maximumStops) throw new Error(`the arrows do not reach ${name}`);
      await this.press('ArrowDown');
    }
    await this.press('Enter');
  }

  /** Waits until the focus is on a thing: the application has led the person there. */
  async expectFocusOn(target: Locator): Promise<void> {
    try {
      await target.and(this.page.locator(':focus')).waitFor();
    } catch {
      throw new Error(`the focus should be on ${target}, and is on ${(await this.#stop()).name}`);
    }
  }

  /** Goes to the next stop, and returns the name of the one before. */
  async #tab(): Promise<string> {
    const { name, sort, box } = await this.#stop();
    if (this.#seen.has(sort)) {
      await this.press('Tab');
      return name;
    }
    this.#seen.add(sort);
    const focused = await this.page.screenshot({ clip: box });
    await this.press('Tab');
    const left = await this.page.screenshot({ clip: box });
    if (focused.equals(left)) this.invisible.push(`${name} (${sort})`);
    return name;
  }

  /** What has the focus. */
  #stop(): Promise<Stop> {
    return this.page.evaluate(currentStop);
  }
}

/** Runs in the page. The box of a hidden control is that of its label. */
const currentStop = `(() => {
  const one = document.activeElement ?? document.body;
  const label = one.closest('label');
  const { x, y, width, height } = (label ?? one).getBoundingClientRect();
  const margin = 16;
  return {
    name: (one.getAttribute('aria-label') ?? one.textContent ?? '').trim().slice(0, 40) || one.tagName,
    sort: [one.tagName, one.className, label?.className].join(' '),
    box: { x: Math.max(0, x - margin), y: Math.max(0, y - margin), width: width + 2 * margin, height: height + 2 * margin },
  };
})()`;
