import { describe, expect, it } from 'vitest';
import { costOf } from '../../shared/domain/award/claim.ts';
import type { AuthenticationRequest } from '../../shared/domain/award/decide-awards.ts';
import { type RefusalReason, statusOfRefusal } from '../../shared/domain/award/refusal.ts';
import {
  aCampaign,
  aFlow,
  aMember,
  aMembership,
  aPartnership,
  aRequest,
  aUser,
  decided,
  earning,
  facts,
  noon,
  redeeming,
} from './fixtures.ts';

const earn = aCampaign();
const redeem = aCampaign({ id: 6, type: 'REDEEM', flows: [aFlow([redeeming(10_000)])] });
const otherPartner = aCampaign({ id: 7, partnerId: 3, partnershipUuid: 'other' });
const otherPartnership = aPartnership({ uuid: 'other', partnerId: 3 });
const both = { campaigns: [earn, otherPartner], partnerships: [aPartnership(), otherPartnership] };
const withDefault = (defaultPartnerId: number | null) => aUser({ defaultPartnerId });

/** Default: a member with 10,000 points in program 2 buys order A-1 for $100, and one campaign is active. */
describe('the authentication of a request', () => {
  it.each<[string, Partial<AuthenticationRequest>, number, number]>([
    ['the only campaign', {}, 5, 0],
    ['the campaign that the request names', { campaigns: [earn, redeem], campaignId: 5 }, 5, 0],
    ['a redemption of exactly the available points', { campaigns: [redeem] }, 6, 10_000],
    ['the partner that the request names', { ...both, partnerId: 2 }, 5, 0],
    ["the user's default partner", { ...both, member: aMember({ user: withDefault(2) }) }, 5, 0],
    ['the only program of a user without a default', { ...both, member: aMember({ user: withDefault(null) }) }, 5, 0],
    [
      "a campaign whose partner is not the user's default partner",
      { ...both, campaignId: 5, member: aMember({ user: withDefault(3) }) },
      5,
      0,
    ],
    ['a campaign named together with its partner', { ...both, campaignId: 5, partnerId: 2 }, 5, 0],
    ['one running campaign besides an ended one', { campaigns: [earn, aCampaign({ id: 8, status: 'ENDED' })] }, 5, 0],
    [
      'one running campaign besides a connect-only one',
      { campaigns: [earn, aCampaign({ id: 8, type: 'CONNECT_ONLY' })] },
      5,
      0,
    ],
    [
      'one running campaign besides one that rewards registrations only',
      {
        campaigns: [
          earn,
          aCampaign({ id: 8, flows: [{ ...aFlow([earning(10_000)]), trigger: { type: 'REGISTRATION' } }] }),
        ],
      },
      5,
      0,
    ],
    [
      'a redemption with points that another token holds (the write checks the balance later)',
      {
        campaigns: [redeem],
        member: aMember({ memberships: [aMembership({ availablePoints: 1_000, heldPoints: 9_000 })] }),
      },
      6,
      10_000,
    ],
  ])('finds the expected campaign and cost in points for %s', (_case, request, campaignId, cost) => {
    const authentication = decided(aRequest(request));

    if ('refused' in authentication) throw new Error(authentication.refused);
    expect(authentication.campaign.id).toBe(campaignId);
    expect(costOf(authentication.rewards)?.points ?? 0).toBe(cost);
  });

  it('uses the member’s tier and the time as facts', () => {
    const member = aMember({ memberships: [aMembership({ statusTierId: 3 })] });

    const authentication = decided(aRequest({ member }));

    expect(authentication).toMatchObject({
      decision: { facts: facts({ statusTierId: 3, occurredAt: noon.toISOString(), totalSpendCents: 10_000 }) },
    });
  });
});

it('a purchase earns only on the amount that was not paid with points', () => {
  expect(decided(aRequest({ paidCents: 2_500 }))).toMatchObject({ rewards: [{ points: 75 }] });
});

it.each([
  ['counts with its own amount', {}, 10_000],
  ['counts only with the amount that was not counted before', { countedCents: 4_000 }, 6_000],
  ['counts without the amount that points paid', { paidCents: 2_500 }, 7_500],
  ['does not count when the request pays with points', { campaigns: [redeem] }, 0],
])('for a condition on total spend, a purchase %s', (_case, request, totalSpendCents) => {
  expect(decided(aRequest(request))).toMatchObject({ decision: { facts: { totalSpendCents } } });
});

describe('the refusal of a request', () => {
  const twoPrograms = aMember({ memberships: [aMembership(), aMembership({ partnerId: 3 })] });
  const noCampaign = 'no_running_campaign';

  it.each<[string, Partial<AuthenticationRequest>, string, RefusalReason]>([
    [
      'a redemption that exceeds the balance by one point',
      { campaigns: [redeem], amountCents: 10_001 },
      'INSUFFICIENT_REWARDS_AMOUNT',
      'insufficient_points',
    ],
    [
      'a member of no program when no campaign is named',
      { member: aMember({ memberships: [] }) },
      'MEMBER_NOT_EXISTS',
      'user_not_linked',
    ],
    [
      'a member of two programs when there is no default and no program is named',
      { ...both, member: twoPrograms },
      'MEMBER_NOT_EXISTS',
      'no_default_program',
    ],
    [
      'a member of no program when a campaign is named',
      { member: aMember({ memberships: [] }), campaignId: 5 },
      'MEMBER_NOT_EXISTS',
      'user_not_linked',
    ],
    ['a partner that the user is not linked to', { ...both, partnerId: 3 }, 'MEMBER_NOT_EXISTS', 'user_not_linked'],
    ['two running campaigns when none is named', { campaigns: [earn, redeem] }, 'ERROR', 'several_campaigns'],
    ['no campaign at all', { campaigns: [] }, 'ERROR', noCampaign],
    ['a campaign that does not exist', { campaignId: 99 }, 'ERROR', noCampaign],
    ['campaign and partner that do not belong together', { ...both, campaignId: 5, partnerId: 3 }, 'ERROR', noCampaign],
    ['a purchase that points paid in full', { paidCents: 10_000 }, 'ERROR', 'paid_with_points'],
    ['a default partner without a campaign', { member: aMember({ user: withDefault(4) }) }, 'ERROR', noCampaign],
    ['a campaign that is paused', { campaigns: [aCampaign({ status: 'PAUSED' })] }, 'ERROR', noCampaign],
    [
      'a campaign that starts later',
      { campaigns: [aCampaign({ startsAt: '2026-03-08T12:00:00.001Z' })] },
      'ERROR',
      noCampaign,
    ],
    ['a campaign that ended now', { campaigns: [aCampaign({ endsAt: noon.toISOString() })] }, 'ERROR', noCampaign],
    [
      'a connect-only campaign',
      { campaigns: [aCampaign({ type: 'CONNECT_ONLY' })], campaignId: 5 },
      'ERROR',
      noCampaign,
    ],
    ['a partnership that is not active', { partnerships: [aPartnership({ isActive: false })] }, 'ERROR', noCampaign],
    ['a partnership that is deleted', { partnerships: [aPartnership({ isDeleted: true })] }, 'ERROR', noCampaign],
    ['a merchant whose only partnership has no campaign', { partnerships: [otherPartnership] }, 'ERROR', noCampaign],
    ['a purchase that is worth less than a point', { amountCents: 99 }, 'ERROR', 'worth_nothing'],
    [
      'a campaign without a reward',
      { campaigns: [aCampaign({ flows: [aFlow([earning(0)])] })] },
      'ERROR',
      'worth_nothing',
    ],
  ])('has the right status and reason for %s', (_case, request, status, reason) => {
    const refusal = decided(aRequest(request));
    if (!('refused' in refusal)) throw new Error('the request is granted');
    expect([statusOfRefusal(refusal.refused), refusal.refused]).toEqual([status, reason]);
  });

  it('contains the cost and the balance when points are insufficient', () => {
    const refusal = decided(aRequest({ campaigns: [redeem], amountCents: 10_001 }));
    expect(refusal).toMatchObject({ cost: { points: 10_001, balance: 10_000 }, decision: { campaignId: 6 } });
  });
});
