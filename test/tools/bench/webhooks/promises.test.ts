import { describe, expect, it } from 'vitest';
import { brokenPromises } from '../../../../tools/bench/webhooks/bench.ts';
import { type Measures, readOptions } from '../../../../tools/bench/webhooks/scenario.ts';

const measured = (sender: string, measures: Measures) => ({
  scenario: 'one',
  sender,
  lines: [],
  notes: [],
  measures,
});

const kept = { perSecond: 1_000, ceilingShare: 0.4, healthyRatio: 1.2, requestsToDead: 40, lost: 0 };

describe('the promises of webhooks', () => {
  it('are kept by a result that is exactly at each limit', () => {
    const plain = measured('plain', { perSecond: 1_000 });
    expect(brokenPromises([plain, measured('engine', kept), measured('platform', kept)])).toEqual([]);
  });

  it.each([
    [{ perSecond: 999 }, '999 deliveries a second'],
    [{ ceilingShare: 0.39 }, '39 % of bare Node'],
    [{ healthyRatio: 1.21 }, 'p99 of the healthy 1.21 times'],
    [{ requestsToDead: 41 }, '41 requests to the dead'],
    [{ lost: 1 }, '1 lost'],
    [{ wrongSignatures: 2 }, '2 wrong signatures'],
  ])('are broken by the engine with the values %j', (broken, text) => {
    expect(brokenPromises([measured('engine', { ...kept, ...broken })])).toEqual([`one, engine: ${text}`]);
  });

  it('require the engine to be as fast as the plain sender', () => {
    const broken = brokenPromises([
      measured('plain', { perSecond: 2_001 }),
      measured('engine', { ...kept, perSecond: 2_000 }),
    ]);
    expect(broken).toEqual(['one, engine: slower than the plain sender, 2001 a second']);
  });

  it("apply neither to other senders nor to the platform's speed", () => {
    expect(brokenPromises([measured('plain', { lost: 7, healthyRatio: 100 })])).toEqual([]);
    expect(brokenPromises([measured('platform', { ...kept, perSecond: 10, ceilingShare: 0.01 })])).toEqual([]);
  });
});

describe('readOptions()', () => {
  it('selects all senders and all scenarios by default', () => {
    expect(readOptions([])).toMatchObject({ senders: ['plain', 'engine', 'platform'], scenarios: [] });
  });

  it('takes several senders and scenarios', () => {
    const args = ['--sender', 'plain', '--sender', './peer.ts', '--scenario', 'one', '--rate', '50', '--seconds', '2'];
    const expected = { senders: ['plain', './peer.ts'], scenarios: ['one'], rate: 50, seconds: 2 };
    expect(readOptions(args)).toMatchObject(expected);
  });

  it.each(['0', '-1', 'many'])('refuses the rate %s', (rate) => {
    expect(() => readOptions([`--rate=${rate}`])).toThrow('--rate must be a number above 0');
  });
});
