import { availableParallelism } from 'node:os';
import type { Browser } from 'playwright-core';
import { dashboardPromise } from '../../../shared/contracts/promises.ts';
import { launchChromium } from '../../../test/browser/support/chromium.ts';
import { atMost, type Bench } from '../bench.ts';
import { median, save, table } from '../report.ts';
import { measureBuilder, measureLoad } from './measure.ts';
import { openSite } from './site.ts';

/** `npm run bench dashboard`: how soon the dashboard is seen, and how soon its builder answers. */
export const bench: Bench = {
  name: 'dashboard',
  about: 'first paint on a slow phone network, layout shift, and the slowest interaction in a builder with 16 flows',
  async run({ quick }) {
    const [site, browser] = await Promise.all([openSite(), launchChromium()]);
    try {
      return promisesOf(await measureRounds(browser, site.url, quick ? 1 : 5));
    } finally {
      await Promise.all([browser.close(), site.close()]);
    }
  },
};

interface Round {
  readonly paintMs: number;
  readonly shift: number;
  readonly interactionMs: number;
  readonly slowest: string;
}

async function measureRounds(browser: Browser, url: string, rounds: number): Promise<Round[]> {
  const measured: Round[] = [];
  for (let round = 0; round < rounds; round += 1) measured.push(await measureRound(browser, url));
  console.log(`${availableParallelism()} cores, slowed four times, medians of ${rounds} rounds\n`);
  console.log(table(measured.map((one) => ({ ...one, shift: one.shift.toFixed(4) }))));
  await save('dashboard', { measured });
  return measured;
}

async function measureRound(browser: Browser, url: string): Promise<Round> {
  const { paint, shift } = await measureLoad(browser, url);
  const { interactions } = await measureBuilder(browser, url);
  const [slowest] = interactions.toSorted((one, other) => other.duration - one.duration);
  return {
    paintMs: Math.round(paint),
    shift,
    interactionMs: slowest?.duration ?? 0,
    slowest: slowest?.name ?? 'none above 16 ms',
  };
}

function promisesOf(rounds: readonly Round[]) {
  const medianOf = (read: (round: Round) => number) => median(rounds.map(read));
  const inMs = (figure: number) => `${figure} ms`;
  return [
    atMost('largest paint of the dashboard, on slow 4G', {
      figure: medianOf(({ paintMs }) => paintMs),
      promised: dashboardPromise.largestPaintMs,
      inWords: inMs,
    }),
    atMost('layout shift of the dashboard', {
      figure: medianOf(({ shift }) => shift),
      promised: dashboardPromise.layoutShift,
      inWords: (shift) => shift.toFixed(3),
    }),
    atMost('slowest interaction in a builder with 16 flows', {
      figure: medianOf(({ interactionMs }) => interactionMs),
      promised: dashboardPromise.interactionMs,
      inWords: inMs,
    }),
  ];
}
