import { describe, expect, it } from 'vitest';
import { occurrencesOf } from '../soak/planted.ts';
import type { Fact, Outcome } from './facts.ts';
import { type Plan, playAll } from './histories.ts';
import { expected } from './oracle.ts';
import { plantedBugs } from './planted.ts';
import { makeScene } from './scene.ts';
import { sets } from './sets.ts';

const limitMs = 120_000;

/** Plays histories in a new scene. Returns their number, and those that end otherwise than the oracle expects. */
async function play(plan: Omit<Plan, 'sets'>) {
  const { histories, differences } = await playAll(await makeScene(), { sets, ...plan });
  const lines = [...differences.values()].map((one) => `${one.history}: ${one.found}, not ${one.expected}`);
  return { histories, lines };
}

describe('every sequence of up to three statements about a purchase, also with one of them twice', () => {
  // `npm run histories` plays the sequences of up to six statements. It prints what still differs.
  it('ends as the oracle expects when consumers run after each statement', { timeout: limitMs }, async () => {
    const { histories, lines } = await play({ most: 3, pace: 'step by step' });
    expect(histories).toBeGreaterThan(5_000);
    expect(lines).toEqual([]);
  });

  it.each(['every event twice', 'at the end', 'at the end, latest first'] as const)(
    'ends as the oracle expects at another pace: %s',
    { timeout: limitMs },
    async (pace) => {
      const { lines } = await play({ most: 2, pace });
      expect(lines).toEqual([]);
    },
  );

  it('leaves nothing for a reconciliation to find', { timeout: limitMs }, async () => {
    const { lines } = await play({ most: 2, pace: 'step by step', isReconciled: true });
    expect(lines.filter((line) => line.includes(' is not '))).toEqual([]);
  });

  it('shows a reconciliation what is missing when the last events are lost', { timeout: limitMs }, async () => {
    const { lines } = await play({ most: 2, pace: 'step by step', isLast: 'lost' });
    // The payment of a stranger becomes the member's only by what the member pays with points: no award is known to lack.
    const isOfStranger = (line: string) => line.includes('payment of a guest') && line.includes('points that paid');
    expect(lines.filter((line) => !isOfStranger(line))).toEqual([]);
  });
});

describe('the oracle', () => {
  const rates = { pointsPerDollarBp: 20_000, cashbackBp: 100, pointValueMicros: 10_000 };
  const order: Fact = { kind: 'order', total: 10_800, eligible: 10_000 };
  const capture = (id: string, cents: number, more: object = {}) =>
    ({ kind: 'capture', payment: 'A', id, cents, eligible: cents, order: true, guest: false, ...more }) as Fact;
  const refund: Fact = { kind: 'refund', payment: 'A', id: 'r', cents: 5_400 };

  it.each<readonly [what: string, facts: readonly Fact[], outcome: Outcome]>([
    ['an order earns for its eligible amount', [order], { points: 200, cashback: 100, spend: 10_000 }],
    [
      'a token counts before an order',
      [order, { kind: 'token', cents: 9_000 }],
      { points: 180, cashback: 90, spend: 9_000 },
    ],
    [
      'captures earn together',
      [capture('1', 6_033), capture('2', 3_967)],
      { points: 200, cashback: 100, spend: 10_000 },
    ],
    [
      'an order and its payment count once',
      [order, capture('1', 10_800)],
      { points: 200, cashback: 100, spend: 10_000 },
    ],
    [
      'merchant and platform report the same refund',
      [order, capture('1', 10_800), refund, { kind: 'merchant refund', id: 'm', cents: 5_400, of: 'order' }],
      { points: 100, cashback: 50, spend: 5_000 },
    ],
    [
      'a refund that failed is none',
      [order, capture('1', 10_800), refund, { kind: 'failed refund', payment: 'A', id: 'r', cents: 5_400 }],
      { points: 200, cashback: 100, spend: 10_000 },
    ],
    [
      'points that paid earn nothing',
      [order, { kind: 'paid', cents: 2_700 }],
      { points: -2550, cashback: 75, spend: 7_500 },
    ],
    [
      'a payment without an order is a purchase of its own',
      [order, capture('1', 1_000, { payment: 'C', order: false })],
      { points: 220, cashback: 110, spend: 11_000 },
    ],
  ])('%s', (_, facts, outcome) => {
    expect(expected(facts, rates)).toEqual(outcome);
  });
});

it.each(plantedBugs)('the planted bug "$name" replaces a text that its file contains exactly once', (bug) => {
  expect(occurrencesOf(bug), `${bug.file}: ${bug.find}`).toBe(1);
});
