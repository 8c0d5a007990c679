import { type Browser, chromium } from 'playwright-core';

/** Starts the system's chromium; `CHROMIUM` names another program. */
export function launchChromium(): Promise<Browser> {
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--font-render-hinting=none'],
  });
}
