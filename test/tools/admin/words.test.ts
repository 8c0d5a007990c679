import { it } from 'vitest';
import type { Flow, Limit } from '../../../shared/domain/campaign/document/campaign.ts';
import { type Facts, type Usage, usageName } from '../../../shared/domain/campaign/document/facts.ts';
import { type Decision, flowResults } from '../../../shared/domain/campaign/evaluation/decision.ts';
import { evaluate } from '../../../shared/domain/campaign/evaluation/evaluate.ts';
import type { Posting } from '../../../shared/domain/ledger/posting.ts';
import type { Refunds, RewardTransaction } from '../../../shared/domain/ledger/reward-transaction.ts';
import { storyText } from '../../../tools/admin/commands/trace.ts';
import { explain } from '../../../tools/admin/explain/explain.ts';
import { programLines } from '../../../tools/admin/explain/program.ts';
import { effectText, type ReversalCause, refundLines, reversalLines } from '../../../tools/admin/explain/refunds.ts';
import { rewardsTable, transactionFacts } from '../../../tools/admin/views/transaction.ts';
import { aCampaign, aFlow, aMultiplier, aTransaction, earning, facts, redeeming } from '../../domain/fixtures.ts';
import { expectTexts, type TitledText } from '../../support/expected-texts.ts';

/**
 * What people read about decisions, refunds, programs and transactions: the files in words/ have each text under its
 * title. To write them, run this file with --update.
 */

const fileOf = (part: string) => `words/${part}.txt`;

/** Evaluates a purchase of $100 by a member of tier 2, and explains flow 1 and action 1. */
function linesFor(flow: Partial<Flow>, more: Partial<Facts> = {}, usage: Usage = {}): string[] {
  const campaign = aCampaign({ flows: [{ ...aFlow([earning(10_000)]), ...flow }] });
  return explain(evaluate(campaign, facts({ statusTierId: 2, ...more }), usage), { flowId: 1, actionId: 1 });
}

/** The lines of `linesFor()` without the facts. */
const flowLines = (...args: Parameters<typeof linesFor>) => linesFor(...args).slice(4);

const part = (id: number) => ({ id, ownerId: 2 });
const tier = (id: number, statusTierIds: number[], factorBp: number) => aMultiplier({ id, statusTierIds, factorBp });
const goldName = (id: number) => (id === 2 ? 'Gold' : undefined);

it('explains the facts of a decision', async () => {
  const known = {
    totalSpendCents: 5_050,
    location: { country: 'US', region: 'TX', city: 'Austin' },
    attributes: { employer: ['Corner Coffee', 'Skyline'] },
  };
  const event = (more: Partial<Facts>) => linesFor({}, { amountCents: null, ...more })[1] ?? '';
  const decision = evaluate(aCampaign(), facts({ statusTierId: 2 }));
  const flows = [{ ...aFlow([earning(20_000)]), multipliers: [tier(7, [2], 15_000), tier(8, [2, 3], 20_000)] }];
  const campaign = aCampaign({ flows });
  const decided = evaluate(campaign, facts({ statusTierId: 2 }));
  const later = { ...campaign, version: campaign.version + 1 };
  const paid = (amountCents: number) => explain(decision, { flowId: 1, actionId: 1, amountCents })[1] ?? '';
  await expectTexts(fileOf('facts'), [
    ['a purchase with known facts', linesFor({}, known).slice(0, 4)],
    ['a member about whom little is known', linesFor({}, { statusTierId: null, connectedAt: null })[2] ?? ''],
    ['a registration', event({ trigger: { type: 'REGISTRATION' } })],
    ['a referral', event({ trigger: { type: 'REFERRAL' } })],
    ['an event of a trigger', event({ trigger: { type: 'CUSTOM', customTriggerId: 9 } })],
    ['a transfer', event({ transferPoints: 1_500 })],
    ['a tier with a name', explain(decision, undefined, { tierName: goldName })[2] ?? ''],
    ['flows and tiers of the version that decided', explain(decided, undefined, { campaign, tierName: goldName })],
    ['flows of another version', explain(decided, undefined, { campaign: later, tierName: goldName }).slice(4, 5)],
    ['a payment of which a part can earn', paid(10_800)],
    ['a payment that can earn as a whole', paid(10_000)],
  ]);
});

it('explains how an action came to its amount', async () => {
  const multipliers = [tier(7, [2], 15_000), tier(8, [3], 20_000), tier(9, [1, 2], 12_500)];
  const referral = { type: 'REFERRAL' as const };
  const conversion = { fromPartnerId: 2, toPartnerId: 4, conversionRateBp: 7_500, increment: 100 };
  const cashback = { ...part(1), kind: 'AWARD_CASHBACK' as const, shareBp: 250 };
  const perEvent = { ...part(1), kind: 'AWARD_POINTS' as const, pointsPerEvent: 50 };
  const transfer = { ...part(1), kind: 'TRANSFER_POINTS' as const, ...conversion };
  await expectTexts(fileOf('actions'), [
    ['points per dollar', flowLines({ actions: [earning(5_700)] })],
    ['multipliers that applied, and one that did not', flowLines({ multipliers })],
    ['a payment with points', flowLines({ actions: [redeeming(7_500)] })],
    ['a multiplied payment', flowLines({ actions: [redeeming(7_500)], multipliers: [tier(7, [2], 20_000)] })],
    ['cashback', flowLines({ actions: [cashback] })],
    [
      'points per event',
      flowLines({ trigger: referral, actions: [perEvent] }, { trigger: referral, amountCents: null }),
    ],
    ['a transfer', flowLines({ actions: [transfer] }, { amountCents: null, transferPoints: 500 })],
    ['another action of the flow', flowLines({ actions: [earning(10_000), earning(20_000, 2)] })],
  ]);
});

it('explains conditions, limits and refusals', async () => {
  const custom = { ...part(12), attribute: 'CUSTOM' as const, name: 'employer', values: ['Skyline'] };
  const conditionGroups: Flow['conditionGroups'] = [
    {
      ...{ id: 3, logic: 'ANY' },
      conditions: [
        { ...part(11), attribute: 'GEOGRAPHY', operator: 'IS_IN', values: ['CA', 'Austin, TX'] },
        { ...custom, operator: 'IS_NOT_IN' },
      ],
    },
    {
      ...{ id: 4, logic: 'ALL' },
      conditions: [
        { ...part(13), attribute: 'TOTAL_SPEND', operator: 'GREATER_THAN', amountCents: 5_000 },
        { ...part(14), attribute: 'BASKET_SIZE', operator: 'LESS_THAN', amountCents: 20_000 },
        { ...part(15), attribute: 'TIME_ELAPSED', operator: 'GREATER_THAN', days: 90 },
      ],
    },
  ];
  // Earlier releases stored conditions without the name of their attribute.
  const older = evaluate(
    aCampaign({
      flows: [
        {
          ...aFlow([earning(10_000)]),
          conditionGroups: [{ id: 3, logic: 'ANY', conditions: [{ ...custom, operator: 'IS_IN' }] }],
        },
      ],
    }),
    facts(),
  );
  for (const { conditions } of older.flows[0]?.groups ?? []) for (const one of conditions) delete one.name;
  const limited = (more: object, usage: Usage = {}) =>
    flowLines({ limits: [{ ...part(6), ...more } as Limit] }, {}, usage);
  const user = { kind: 'USER', bound: 'MAXIMUM' };
  const transaction = { kind: 'TRANSACTION', bound: 'MAXIMUM' };
  const refused = (reason: Decision['refused']): string[] =>
    explain({ campaignId: 5, campaignVersion: 3, facts: facts(), refused: reason, flows: [] }).slice(-1);
  const nothing = { groups: [], multipliers: [], limits: [], actions: [] };
  const resultOf = (result: (typeof flowResults)[number]): string[] =>
    explain(
      { campaignId: 5, campaignVersion: 3, facts: facts(), refused: null, flows: [{ flowId: 2, result, ...nothing }] },
      { flowId: 1, actionId: 1 },
    ).slice(-1);
  await expectTexts(fileOf('conditions'), [
    ['conditions in groups', flowLines({ conditionGroups }, { attributes: { employer: ['Skyline'] } })],
    ['a condition without a name', explain(older, { flowId: 1, actionId: 1 }).slice(-1)],
    [
      'a limit that reduced the points',
      limited({ ...user, unit: 'POINTS', amount: 1_000, period: 'MONTH' }, { [usageName(6, '2026-03')]: 970 }),
    ],
    [
      'a limit that is used up',
      limited({ ...user, unit: 'EVENTS', amount: 1, period: 'LIFETIME' }, { [usageName(6, 'LIFETIME')]: 1 }),
    ],
    ['a minimum', limited({ kind: 'TRANSACTION', bound: 'MINIMUM', unit: 'DOLLARS', amount: 50_050 })],
    ['a limit in dollars that was exceeded', limited({ ...transaction, unit: 'DOLLARS', amount: 4_000 })],
    ['a limit that changed nothing', limited({ ...transaction, unit: 'POINTS', amount: 500 })],
    ...(['campaign_not_running', 'partnership_not_active', 'points_out_of_range'] as const).map(
      (reason): TitledText => [reason, refused(reason)],
    ),
    ...flowResults.map((result): TitledText => [result, resultOf(result)]),
  ]);
});

const refunds = (more: Partial<Refunds>): Refunds => ({
  ...{
    revision: 1,
    refundedCents: 5_000,
    points: 30,
    cashbackCents: 0,
    pendingReversals: 0,
    returned: [],
    waiting: [],
  },
  ...more,
});
const original = (more: Partial<RewardTransaction> = {}) =>
  aTransaction({ id: 7, state: 'COMPLETED', amountCents: 10_000, points: 300, refunds: refunds({}), ...more });
const reverses = { id: 7, uuid: 'the original', refundUuid: 'the refund' };
const reversal = (more: Partial<RewardTransaction> = {}) =>
  aTransaction({ id: 8, state: 'COMPLETED', amountCents: 5_000, points: 30, reverses, ...more });
const cause: ReversalCause = { kind: 'refund', timeZone: 'UTC' };

/** An operator's reversal. It took the points that were left after half of the payment was refunded. */
const byOperator = reversal({
  ...{ id: 9, points: 270, amountCents: 0, reversalReason: 'Farmed', reversalOperator: 'ada@desk' },
  createdAt: '2026-03-09T12:00:00.000Z',
});
const voided = original({ state: 'REVERSED', refunds: refunds({ points: 300, isVoid: true, voidedBy: 9 }) });
const { refunds: _, ...untouched } = original();

it('explains refunds', async () => {
  const waiting = [{ refundedUuid: 'an order', receivedUntil: '2026-03-08T12:00:00.000Z' }];
  const paid = { cents: 1_000, ofCents: 10_000 };
  const all = { ...byOperator, points: 300 };
  const of = (more: Partial<RewardTransaction>) => refundLines(original(more), cause);
  await expectTexts(fileOf('refunds'), [
    ['none', refundLines(untouched, cause)],
    ['of points', of({})],
    ['of the whole reward', of({ points: 30 })],
    ['of nothing', of({ refunds: refunds({ points: 0 }) })],
    ['of money', of({ points: 0, cashbackCents: 999, refunds: refunds({ points: 0, cashbackCents: 100 }) })],
    ['of a redemption', of({ type: 'REDEEM' })],
    ['without an answer, and more that wait', of({ refunds: refunds({ pendingReversals: 2, waiting }) })],
    ['that wait for no answer', of({ refunds: refunds({ waiting }) })],
    ['that wait for a pending transaction', of({ state: 'PENDING', refunds: refunds({ waiting }) })],
    ['and an operator’s reversal', refundLines(voided, { ...cause, byOperator })],
    ['and an operator who reversed all', refundLines(voided, { ...cause, byOperator: all })],
    ['and an operator, which cannot be told apart', refundLines(voided, cause)],
    ['without money', of({ refunds: refunds({ refundedCents: 0 }) })],
    ['by points that paid later', of({ refunds: refunds({ refundedCents: 0, paid }) })],
    ['of money, and by points that paid later', of({ refunds: refunds({ paid }) })],
  ]);
});

it('explains reversals', async () => {
  const of = (more: Partial<RewardTransaction>, kind: ReversalCause['kind'] = 'refund') =>
    reversalLines(reversal(more), original({ type: more.type ?? 'EARN' }), { ...cause, kind });
  const alone = original({ refunds: { ...refunds({ points: 300 }), ...voided.refunds, refundedCents: 0 } });
  const reversed = { ...byOperator, points: 300 };
  await expectTexts(fileOf('reversals'), [
    ['that is confirmed', of({})],
    ['that is not confirmed yet', of({ state: 'PENDING' })],
    ['that the program rejected', of({ state: 'FAILED' })],
    ['of a redemption', of({ type: 'REDEEM' })],
    ['of an operator', reversalLines(reversed, alone, { ...cause, byOperator: reversed })],
    ['by points that paid later', of({ amountCents: 1_000 }, 'points').slice(0, 1)],
    ...(['points', 'refund', 'payment'] as const).map(
      (kind): TitledText => [`without money, by ${kind}`, of({ amountCents: 0 }, kind).slice(0, 1)],
    ),
    ['of points that the member owes', of({ shortfallPoints: 1 })],
  ]);
});

const startedAt = '2026-03-08T12:00:00.000Z';
const posting = (more: Partial<Posting> = {}): Posting => ({
  ...{ attempts: 3, startedAt, dueAt: '2026-03-08T12:10:00.000Z', problem: 'no reply in time' },
  ...more,
});

it('explains what a program answered', async () => {
  const program = { name: 'Skyline Miles', timeZone: 'UTC' };
  const rows: readonly (readonly [string, Partial<RewardTransaction>])[] = [
    ['whose token is not spent', { state: 'INITIATED' }],
    ['whose token expired', { state: 'CANCELLED' }],
    ['that is new', { state: 'PENDING' }],
    ['that waits while requests pause', { state: 'PENDING', posting: posting({ attempts: 0 }) }],
    [
      'whose attempt runs',
      { state: 'PENDING', posting: { attempts: 1, startedAt, dueAt: '2026-03-08T12:01:30.000Z' } },
    ],
    ['that is retried', { state: 'PENDING', posting: posting() }],
    ['that the program accepted', { state: 'PENDING', posting: posting({ acceptedAt: startedAt }) }],
    [
      'that the program confirmed',
      { state: 'COMPLETED', completedAt: startedAt, programReference: 'D-000001', posting: posting() },
    ],
    ['that is reversed', { state: 'REVERSED' }],
    ['that the program rejected', { state: 'FAILED', failureReason: 'the account is closed' }],
    ['that pays and was rejected', { state: 'FAILED', type: 'REDEEM', failureReason: 'too few points' }],
    ['that reverses and was rejected', { state: 'FAILED', reverses }],
    ['in ERROR', { state: 'ERROR', id: 9, partnerId: 2, posting: posting({ attempts: 30, problem: 'status 503' }) }],
    ['accepted, and never decided', { state: 'ERROR', id: 9, posting: posting({ acceptedAt: startedAt }) }],
  ];
  const settled = (points: number, more: Partial<RewardTransaction> = {}) =>
    programLines(aTransaction({ state: 'COMPLETED', ...more }), program, points).slice(1);
  await expectTexts(fileOf('program'), [
    ...rows.map(([title, more]): TitledText => [title, programLines(aTransaction(more), program)]),
    ['that settled a debt', settled(-200)],
    ['that settled a debt, which the program knows', settled(-200, { settlementPostedAt: startedAt })],
    ['whose settlement was returned', settled(1)],
  ]);
});

it('describes transactions', async () => {
  const names = { merchant: 'Corner Coffee', partner: 'Skyline Miles', campaign: undefined, timeZone: 'UTC' };
  const of = (more: Partial<RewardTransaction>, isPaidWithPoints = false) =>
    // The other lines are the same for all.
    transactionFacts(aTransaction({ points: 1, ...more }), { ...names, isPaidWithPoints })
      .split('\n')
      .slice(2, -3);
  const ofOrder = { externalTransactionId: 'order-1', amountCents: 100, reverses };
  const operator = { reversalReason: 'Farmed', reversalOperator: 'ada@desk', amountCents: 0 };
  const effects: readonly (readonly [string, Partial<RewardTransaction>])[] = [
    ['held', { state: 'HELD' }],
    ['pending', { state: 'PENDING' }],
    ['completed', {}],
    ['failed', { state: 'FAILED' }],
    ['cancelled', { type: 'REDEEM', state: 'CANCELLED' }],
    ['refunded in part', { refunds: refunds({}) }],
    ['refunded', { state: 'REVERSED', refunds: refunds({ points: 300 }) }],
    ['returned in part', { type: 'REDEEM', refunds: refunds({}) }],
    ['refunded in part, not confirmed', { refunds: refunds({ pendingReversals: 1 }) }],
    ['failed reversal', { state: 'FAILED', reverses }],
    ['paid with cashback', { type: 'REDEEM', cashbackCents: 200 }],
  ];
  await expectTexts(fileOf('transactions'), [
    ['of a purchase', of({ externalTransactionId: 'order-1', amountCents: 4_250 })],
    ['of an event', of({ triggerEvent: { id: 1, uuid: 'an-event', customTriggerId: 9 } })],
    ['of a registration', of({ isRegistration: true })],
    ['of a referral', of({ externalTransactionId: null })],
    ['of a transfer', of({ externalTransactionId: 'move-1', otherLegId: 8 })],
    ['of a refund', of(ofOrder)],
    ['of a refund that failed', of({ ...ofOrder, isRestoration: true })],
    ['of an operator’s reversal', of({ ...ofOrder, ...operator })],
    ['of a refused reward', of({ state: 'FAILED' })],
    ['of a purchase that a member paid with points', of(ofOrder, true)],
    ...effects.map(([title, more]): TitledText => [title, effectText({ ...untouched, ...more })]),
    [
      'rewards',
      rewardsTable([
        aTransaction({ points: 12, state: 'COMPLETED' }),
        aTransaction({ points: 30, state: 'FAILED', failureReason: 'the account is closed' }),
        aTransaction({ points: 7, type: 'REDEEM', state: 'CANCELLED' }),
        aTransaction({ points: 8, state: 'PENDING' }),
        aTransaction({ points: 0, cashbackCents: 250, state: 'COMPLETED' }),
      ]),
    ],
  ]);
});

it('tells what happened because of a request', async () => {
  const request = '5f0d9a3e-6f4c-4b8e-9d3b-0a1f8c2e7d11';
  const step = (at: string, what: string, requestId: string | null = null) =>
    ({ at, what, requestId, kind: 'event', durationMs: null }) as const;
  const received = step('2026-11-23T12:00:00.000Z', 'the order was received');
  const bought = step('2026-11-23T12:00:01.000Z', 'the purchase was made');
  const refunded = step('2026-11-23T12:58:01.500Z', 'the refund was received', request);
  const booked = step('2026-11-23T12:58:02.000Z', 'the refund was booked', request);
  const others = [
    { requestId: '73e0863a-b43b-413b-a4fe-fc3412b1a95e', event: 'transaction_created', at: '2026-11-23T12:53:10.000Z' },
  ];
  const nothing = { requestIds: [], steps: [], others: [], hasLogs: true };
  const story = { requestIds: [request], steps: [bought, refunded, booked], others, hasLogs: true };
  await expectTexts(fileOf('trace'), [
    ['from the first step of the request', storyText(request, story)],
    ['from the first row, without a request', storyText('order', { ...nothing, steps: [received, bought] })],
    ['nothing', storyText(request, nothing)],
    ['nothing, without logs', storyText(request, { ...nothing, hasLogs: false })],
    ['without logs', storyText(request, { ...nothing, steps: [received], hasLogs: false })],
  ]);
});
