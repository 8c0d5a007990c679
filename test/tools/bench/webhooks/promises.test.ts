import { describe, expect, it } from 'vitest';
import { promisesOf } from '../../../../tools/bench/webhooks/bench.ts';
import { type Measures, readOptions } from '../../../../tools/bench/webhooks/scenario.ts';

const measured = (sender: string, measures: Measures) => ({
  scenario: 'one',
  sender,
  lines: [],
  notes: [],
  measures,
});

const kept = { perSecond: 1_000, ceilingShare: 0.4, healthyRatio: 1.2, requestsToDead: 40, lost: 0 };

/** The figures of the promises that are broken. */
const broken = (sender: string, measures: Measures) =>
  promisesOf([measured(sender, measures)]).flatMap(({ figure, isKept }) => (isKept ? [] : [figure]));

describe('the promises of webhooks', () => {
  it('are kept by a result that is exactly at each limit', () => {
    expect(broken('engine', { ...kept, wrongSignatures: 0 })).toEqual([]);
  });

  it.each([
    [{ perSecond: 999 }, '999'],
    [{ ceilingShare: 0.39 }, '39 %'],
    [{ healthyRatio: 1.21 }, '1.21 times'],
    [{ requestsToDead: 41 }, '41'],
    [{ lost: 1 }, '1'],
    [{ wrongSignatures: 2 }, '2'],
  ])('are broken by the engine with the values %j', (measures, figure) => {
    expect(broken('engine', { ...kept, ...measures })).toEqual([figure]);
  });

  it('do not apply to other senders', () => {
    expect(promisesOf([measured('peer', { lost: 7, healthyRatio: 100 })])).toEqual([]);
  });
});

describe('readOptions()', () => {
  it('selects the engine and all scenarios by default', () => {
    expect(readOptions([])).toMatchObject({ senders: ['engine'], scenarios: [] });
  });

  it('takes several senders and scenarios', () => {
    const args = ['--sender', 'engine', '--sender', './peer.ts', '--scenario', 'one', '--rate', '50', '--seconds', '2'];
    const expected = { senders: ['engine', './peer.ts'], scenarios: ['one'], rate: 50, seconds: 2 };
    expect(readOptions(args)).toMatchObject(expected);
  });

  it.each(['0', '-1', 'many'])('refuses the rate %s', (rate) => {
    expect(() => readOptions([`--rate=${rate}`])).toThrow('--rate must be a number above 0');
  });
});
