import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, inject } from 'vitest';
import { launchChromium } from './chromium.ts';
import { type LocalPlatform, signIn } from './local-platform.ts';
import { Troubles } from './troubles.ts';

/** The people of a test file, who share the platform and a browser. */
export interface People {
  readonly platform: LocalPlatform;
  /** Opens an empty page in a browser context of its own: nobody is signed in. Its troubles fail the test. */
  openPage(): Promise<Page>;
  /** The test makes the server refuse something with these statuses. */
  expectRefusals(...statuses: readonly number[]): void;
  /** Opens a page on which a person of the demonstration is signed in. */
  signIn(name: string): Promise<Page>;
}

/** Opens a browser for the test file. A test fails by any error, and by any refused load, of a page. */
export function usePeople(): People {
  const troubles = new Troubles();
  const used = {} as { platform: LocalPlatform; browser: Browser };
  beforeAll(async () => {
    [used.platform, used.browser] = await Promise.all([findPlatform(), launchChromium()]);
  }, 180_000);
  afterAll(() => used.browser?.close());
  afterEach(() => expect(troubles.take()).toEqual([]));

  const openPage = async () => {
    const context = await used.browser.newContext({ viewport: { width: 1280, height: 860 } });
    const page = await context.newPage();
    await troubles.watch(page);
    return page;
  };
  return {
    get platform() {
      return used.platform;
    },
    openPage,
    expectRefusals: (...statuses) => troubles.expectRefusals(...statuses),
    signIn: async (name) => {
      const page = await openPage();
      await signIn(page, used.platform, name);
      return page;
    },
  };
}

/** The platform of all browser tests. It starts when the first file asks for it. */
export async function findPlatform(): Promise<LocalPlatform> {
  const response = await fetch(inject('platformDesk'));
  if (!response.ok) throw new Error(await response.text());
  return (await response.json()) as LocalPlatform;
}
