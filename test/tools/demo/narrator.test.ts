import { expect, it } from 'vitest';
import { beQuiet, chapter, leaveOut, stepsTable, expect as verify } from '../../../tools/demo/narrator.ts';

it('the demonstration lists every step with its result', () => {
  beQuiet();
  chapter('Subscribe', 'The merchant subscribes.');
  chapter('Buy', 'The member buys.');
  verify(true, 'it earns');
  leaveOut('Receive a welcome bonus', 'an earlier run linked the account');
  chapter('Pay', 'The member pays.');
  expect(() => verify(false, 'it pays')).toThrow('does not hold: it pays');

  expect(stepsTable().split('\n')).toEqual([
    '  1. Subscribe                done',
    '  2. Buy                      1 fact',
    '  3. Receive a welcome bonus  left out: an earlier run linked the account',
    '  4. Pay                      FAILED',
  ]);
});
