import { describe, expect, it } from 'vitest';
import { award } from '../../shared/domain/award/claim.ts';
import { decideAwards, type Earner } from '../../shared/domain/award/decide-awards.ts';
import { withTransactions } from '../../shared/domain/award/finalization.ts';
import type { Condition, Flow } from '../../shared/domain/campaign/document/campaign.ts';
import {
  awardRequestForTrigger,
  finalizeTriggerEvent,
  type TriggerEvent,
  type TriggerEventState,
  triggerEventStates,
  triggerEventStatesBefore,
  triggerEventTransitions,
} from '../../shared/domain/trigger/trigger-event.ts';
import { aCampaign, aFlow, aMember, anAssociation, aPartnership, aPurchase, noon } from './fixtures.ts';

const later = new Date('2026-03-08T13:00:00.000Z');

const anEvent = (more: Partial<TriggerEvent> = {}): TriggerEvent => ({
  id: 77,
  uuid: '019b0000-0000-7000-8000-000000000077',
  partnershipUuid: aPartnership().uuid,
  merchantId: 1,
  partnerId: 2,
  callerId: 1,
  triggerName: 'visited',
  customTriggerId: 3,
  kind: 'CUSTOM',
  userId: 10,
  userUuid: null,
  externalUserId: 'cc-1',
  context: {},
  state: 'RECEIVED',
  revision: 0,
  transactionIds: [],
  receivedAt: noon.toISOString(),
  updatedAt: noon.toISOString(),
  ...more,
});

/** A flow that awards points for each event of a kind. */
const flowOf = (trigger: Flow['trigger'], pointsPerEvent: number, id = 1): Flow => ({
  ...aFlow([{ id, ownerId: 2, kind: 'AWARD_POINTS', pointsPerEvent }], [], id),
  trigger,
});
const visited = { type: 'CUSTOM', customTriggerId: 3 } as const;

const earner = (more: Partial<Earner> = {}): Earner => ({
  member: aMember(),
  campaigns: [aCampaign({ flows: [flowOf(visited, 50)] })],
  partnerships: [aPartnership()],
  ...more,
});

const awardsOf = (event: TriggerEvent, by = earner()) => decideAwards(by, awardRequestForTrigger(event).event);
const pointsOf = (event: TriggerEvent, by = earner()) =>
  awardsOf(event, by).awards.map(({ rewards }) => rewards.map(({ points }) => points));

describe('the states of a trigger event', () => {
  const allowed: [TriggerEventState, TriggerEventState[]][] = [
    ['RECEIVED', ['PROCESSED', 'REJECTED']],
    ['UNMATCHED', []],
    ['PROCESSED', []],
    ['REJECTED', []],
  ];

  it.each(allowed)('change from %s only to %j', (state, next) => {
    expect(triggerEventTransitions[state]).toEqual(next);
    expect(triggerEventStates.filter((one) => triggerEventStatesBefore(one).includes(state))).toEqual(next);
  });

  it('end with PROCESSED after a reward, else with REJECTED', () => {
    const [reward] = aPurchase().rewards;
    if (!reward) throw new Error('the claim has a reward');
    const rewarded = withTransactions(
      anEvent(),
      { ...aPurchase({ kind: 'TRIGGER' }), rewards: [{ ...reward, id: 1 }] },
      noon,
    );
    expect(finalizeTriggerEvent(rewarded, 'nothing_earned', later)).toEqual({
      ...anEvent({ state: 'PROCESSED', transactionIds: [1], updatedAt: later.toISOString() }),
    });
    expect(finalizeTriggerEvent(anEvent(), 'user_not_linked', later)).toMatchObject({
      state: 'REJECTED',
      rejection: 'user_not_linked',
    });
  });
});

describe('rewards of a trigger event', () => {
  it.each<[string, Partial<TriggerEvent>, number[][]]>([
    ['the rewards that the campaign gives for the trigger of the event', {}, [[50]]],
    ['empty when the campaign rewards another trigger', { customTriggerId: 4 }, []],
    ['empty for a referral when the campaign rewards only the trigger itself', { kind: 'REFERRAL' }, []],
  ])('are %s', (_case, event, expected) => {
    expect(pointsOf(anEvent(event))).toEqual(expected);
  });

  it('come only from flows that reward events of this kind', () => {
    const campaigns = [aCampaign({ flows: [flowOf(visited, 50, 1), flowOf({ type: 'REFERRAL' }, 500, 2)] })];
    expect(pointsOf(anEvent({ kind: 'REFERRAL' }), earner({ campaigns }))).toEqual([[500]]);
    expect(pointsOf(anEvent(), earner({ campaigns }))).toEqual([[50]]);
  });

  it('come from campaigns that ran when the event was received', () => {
    const campaigns = [aCampaign({ flows: [flowOf(visited, 50)], endsAt: later.toISOString() })];
    expect(pointsOf(anEvent(), earner({ campaigns }))).toEqual([[50]]);
    expect(awardsOf(anEvent({ receivedAt: later.toISOString() }), earner({ campaigns }))).toMatchObject({
      awards: [],
      rejection: 'no_running_campaign',
    });
  });

  it('are empty if the member is no customer of the merchant', () => {
    const member = aMember({ associations: [anAssociation({ merchantId: 8 })] });
    expect(awardsOf(anEvent(), earner({ member }))).toMatchObject({ awards: [], rejection: 'user_not_customer' });
  });

  it('depend on the event’s attributes first, and only then on the member’s', () => {
    const isGold: Condition = {
      id: 5,
      ownerId: 1,
      attribute: 'CUSTOM',
      operator: 'IS_IN',
      name: 'plan',
      values: ['gold'],
    };
    const flow: Flow = {
      ...flowOf(visited, 50),
      conditionGroups: [{ id: 4, logic: 'ANY', conditions: [isGold] }],
    };
    const by = (plan: string) =>
      earner({
        campaigns: [aCampaign({ flows: [flow] })],
        member: aMember({ associations: [anAssociation({ attributes: { plan: [plan] } })] }),
      });

    expect(pointsOf(anEvent(), by('gold'))).toEqual([[50]]);
    expect(pointsOf(anEvent({ context: { plan: 'free' } }), by('gold'))).toEqual([]);
    expect(pointsOf(anEvent({ context: { plan: ['free', 'gold'] } }), by('free'))).toEqual([[50]]);
  });
});

describe('the award claim of a trigger event', () => {
  it('has the event’s UUID in its key', () => {
    const event = anEvent();
    const [first] = awardsOf(event).awards;
    if (!first) throw new Error('the event earns nothing');

    const occasion = { ...awardRequestForTrigger(event).basis, member: aMember(), now: later };
    const written = award(occasion, first, 'rwa_local_B', () => ({ id: 7, uuid: 'seven' }));

    expect(written.claim).toMatchObject({
      kind: 'TRIGGER',
      externalTransactionId: event.uuid,
      state: 'SPENT',
      amountCents: 0,
    });
    expect(written.transactions).toMatchObject([
      {
        state: 'PENDING',
        points: 50,
        amountCents: 0,
        externalTransactionId: null,
        triggerEvent: { id: 77, uuid: event.uuid, customTriggerId: 3 },
      },
    ]);
    expect(written.decision.facts).toMatchObject({ amountCents: null, occurredAt: noon.toISOString() });
  });
});
