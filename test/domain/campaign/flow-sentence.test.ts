import { describe, expect, it } from 'vitest';
import { textOf } from '../../../shared/domain/campaign/document/kinds/phrase.ts';
import { flowSentence, type SentenceContext } from '../../../shared/domain/campaign/words/flow-sentence.ts';
import { fc } from '../../support/fast-check.ts';
import { campaigns } from './arbitraries.ts';

const context: SentenceContext = {
  type: 'EARN',
  merchantId: 1,
  partnerId: 2,
  names: {
    organisation: (id) => ({ 1: 'Corner Coffee', 2: 'Skyline Miles', 3: 'Corner Club' })[id],
    tier: (id) => ({ 1: 'Silver', 2: 'Gold' })[id],
    trigger: (id) => (id === 7 ? 'signup_completed' : undefined),
  },
};
const sentenceOf = (flow: object, more: Partial<SentenceContext> = {}) =>
  textOf(flowSentence({ ...flow }, '/flows/0', { ...context, ...more }));

const spend = { trigger: { type: 'SPEND' } };
const twoPoints = { kind: 'AWARD_POINTS', pointsPerDollarBp: 20_000 };
const gold = { attribute: 'CUSTOMER_STATUS', operator: 'IS_IN', statusTierIds: [2], factorBp: 15_000 };
const monthly = { kind: 'USER', unit: 'POINTS', amount: 500, period: 'MONTH' };

describe('flowSentence()', () => {
  it.each([
    [
      { ...spend, actions: [twoPoints], multipliers: [gold], limits: [monthly] },
      'When a member spends, Skyline Miles gives 2 points per $1, half as much again for Gold, at most 500 points a month.',
    ],
    [
      { trigger: { type: 'REGISTRATION' }, actions: [{ kind: 'AWARD_POINTS', pointsPerEvent: 1_000 }] },
      'When a member links an account, Skyline Miles gives 1,000 points.',
    ],
    [
      {
        trigger: { type: 'CUSTOM', customTriggerId: 7 },
        actions: [{ kind: 'AWARD_CASHBACK', centsPerEvent: 500 }],
      },
      'When signup_completed happens, Corner Coffee gives $5.00 back.',
    ],
    [
      { ...spend, actions: [twoPoints, { kind: 'AWARD_CASHBACK', shareBp: 250 }], reevaluateOnRefund: true },
      'When a member spends, Skyline Miles gives 2 points per $1 and Corner Coffee gives 2.5 % back. A refund tests conditions and minimums again.',
    ],
    [
      {
        ...spend,
        actions: [twoPoints],
        conditionGroups: [
          {
            logic: 'ANY',
            conditions: [
              { attribute: 'GEOGRAPHY', operator: 'IS_IN', values: ['CA', 'Austin, TX'] },
              { attribute: 'CUSTOM', operator: 'IS_NOT_IN', name: 'plan', values: ['trial'] },
            ],
          },
          { logic: 'ALL', conditions: [{ attribute: 'BASKET_SIZE', operator: 'GREATER_THAN', amountCents: 2_500 }] },
        ],
      },
      'When a member spends, Skyline Miles gives 2 points per $1, if the member lives in Canada or Austin, TX or plan is not trial, and if the purchase is more than $25.00.',
    ],
    [
      {
        trigger: { type: 'REFERRAL' },
        actions: [{ kind: 'AWARD_POINTS', pointsPerEvent: 1 }],
        limits: [{ kind: 'USER', unit: 'EVENTS', amount: 3, period: 'LIFETIME' }],
      },
      'When a member brings a friend, Skyline Miles gives 1 point, at most 3 times a member in all.',
    ],
  ])('tells what a flow does (%#)', (flow, sentence) => {
    expect(sentenceOf(flow)).toBe(sentence);
  });

  it('tells what payments, transfers and links do', () => {
    const paying = { ...spend, actions: [{ kind: 'REDEEM_POINTS', pointValueMicros: 7_500, increment: 500 }] };
    expect(sentenceOf(paying, { type: 'REDEEM' })).toBe(
      'When a member spends, each point of Skyline Miles pays $0.0075 in steps of 500 points.',
    );
    const moving = {
      ...spend,
      actions: [
        { kind: 'TRANSFER_POINTS', fromPartnerId: 2, toPartnerId: 3, conversionRateBp: 8_000, increment: 1_000 },
      ],
    };
    expect(sentenceOf(moving, { type: 'TRANSFER' })).toBe(
      'When a member moves points, each point of Skyline Miles becomes 0.8 of Corner Club in steps of 1,000 points.',
    );
    const linking = { trigger: { type: 'REGISTRATION' }, actions: [] };
    expect(sentenceOf(linking, { type: 'CONNECT_ONLY' })).toBe(
      'When a member links an account, the member is counted.',
    );
  });

  it('shows what is not filled in yet', () => {
    expect(sentenceOf({})).toBe('When …, ….');
    expect(sentenceOf({ ...spend, actions: [{ kind: 'AWARD_POINTS' }], limits: [{ kind: 'USER' }] })).toBe(
      'When a member spends, Skyline Miles gives … per $1, ….',
    );
  });

  it('marks each value with the pointer of its field', () => {
    const flow = { ...spend, actions: [twoPoints], multipliers: [gold], limits: [monthly] };
    expect(flowSentence(flow, '/flows/3', context).filter(({ pointer }) => pointer !== undefined)).toEqual([
      { text: '2 points', pointer: '/flows/3/actions/0/pointsPerDollarBp' },
      { text: 'half as much again', pointer: '/flows/3/multipliers/0/factorBp' },
      { text: 'Gold', pointer: '/flows/3/multipliers/0/statusTierIds/0' },
      { text: '500 points', pointer: '/flows/3/limits/0/amount' },
      { text: 'month', pointer: '/flows/3/limits/0/period' },
    ]);
  });

  it('marks only values that the document has', () => {
    fc.assert(
      fc.property(campaigns, ({ type, flows }) => {
        for (const [position, flow] of flows.entries()) {
          const pieces = flowSentence({ ...flow }, `/flows/${position}`, { ...context, type });
          expect(textOf(pieces)).not.toMatch(/undefined|null|NaN/);
          for (const { pointer } of pieces) {
            if (pointer === undefined) continue;
            const value = pointer
              .split('/')
              .slice(1)
              .reduce<unknown>((inner, name) => Reflect.get(Object(inner), name), { flows });
            expect([pointer, value !== undefined]).toEqual([pointer, true]);
          }
        }
      }),
    );
  });
});
