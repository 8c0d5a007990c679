import { describe, expect, it } from 'vitest';
import { Campaign } from '../../../shared/domain/campaign/document/campaign.ts';
import { Facts } from '../../../shared/domain/campaign/document/facts.ts';
import { gatherFacts, usageOf } from '../../../shared/domain/campaign/evaluation/gather-facts.ts';
import { aCampaign, aMember, aMembership, anAssociation, aPartnership, facts, noon } from '../fixtures.ts';

/** The schema refuses invalid input before an evaluation, because an evaluation never throws. */
describe('the schemas of facts and campaigns', () => {
  it.each([
    ['an instant without an offset', { occurredAt: '2026-03-08T12:00:00.000' }],
    ['a date that does not exist', { occurredAt: '2026-02-29T12:00:00.000Z' }],
    ['a text as an instant', { connectedAt: 'yesterday' }],
    ['an unknown time zone', { timeZone: 'America/Gotham' }],
    ['a negative amount', { amountCents: -1 }],
    ['a fraction of a cent', { amountCents: 0.5 }],
    ['negative points', { transferPoints: -1 }],
  ])('refuse facts with %s', (_what, wrong) => {
    expect(Facts.safeParse(facts()).success).toBe(true);
    expect(Facts.safeParse({ ...facts(), ...wrong }).success).toBe(false);
  });

  it.each([
    ['start', { startsAt: 'soon' }],
    ['end', { endsAt: '2026-13-01T00:00:00Z' }],
  ])('refuse a campaign whose %s is not a timestamp', (_what, wrong) => {
    expect(Campaign.safeParse(aCampaign()).success).toBe(true);
    expect(Campaign.safeParse({ ...aCampaign(), ...wrong }).success).toBe(false);
  });
});

describe('gatherFacts()', () => {
  const rewardEvent = { trigger: { type: 'SPEND' as const }, at: noon, amountCents: 10_000 };

  it('prefers the attributes of a trigger event to those of the member', () => {
    const associations = [anAssociation({ attributes: { channel: ['shop'], employer: ['Corner Coffee'] } })];
    const trigger = { type: 'CUSTOM' as const, customTriggerId: 7 };
    const event = { ...rewardEvent, trigger, attributes: { channel: ['app'] } };

    expect(gatherFacts(aMember({ associations }), aMembership(), aPartnership(), event).attributes).toEqual({
      channel: ['app'],
      employer: ['Corner Coffee'],
    });
  });

  it('returns only what this merchant reported about the member', () => {
    const austin = { country: 'US', region: 'TX', city: 'Austin' };
    const member = aMember({
      associations: [
        anAssociation({ merchantId: 9, location: austin, attributes: { plan: ['gold'], club: ['golf'] } }),
        anAssociation({ merchantId: 1, attributes: { plan: ['free'] } }),
        anAssociation({ merchantId: 8 }),
      ],
    });
    const at = (merchantId: number) => {
      const { location, attributes } = gatherFacts(member, aMembership(), aPartnership({ merchantId }), rewardEvent);
      return { location, attributes };
    };

    expect(at(1)).toEqual({ location: null, attributes: { plan: ['free'] } });
    expect(at(9)).toEqual({ location: austin, attributes: { plan: ['gold'], club: ['golf'] } });
    // A merchant that reported nothing, and one without this customer.
    for (const merchantId of [8, 7]) expect(at(merchantId)).toEqual({ location: null, attributes: {} });
  });

  it('returns only the spend at this merchant with this program', () => {
    const at = (merchantId: number, partnerId: number, spentCents: number) => ({
      userId: 10,
      merchantId,
      partnerId,
      spentCents,
    });
    const spend = [at(1, 3, 1), at(9, 2, 2), at(1, 2, 500)];

    expect(gatherFacts(aMember({ spend }), aMembership(), aPartnership(), rewardEvent).totalSpendCents).toBe(500);
    expect(gatherFacts(aMember(), aMembership(), aPartnership(), rewardEvent).totalSpendCents).toBe(0);
  });

  it('treats a deleted partnership as not active', () => {
    const partnership = aPartnership({ isDeleted: true });
    expect(gatherFacts(aMember(), aMembership(), partnership, rewardEvent).partnershipIsActive).toBe(false);
  });
});

describe('usageOf()', () => {
  const used = (campaignId: number, limitId: number, count: number) => ({
    userId: 10,
    campaignId,
    limitId,
    period: '2026-03',
    used: count,
  });

  it('subtracts charges that are about to be returned', () => {
    const member = aMember({ usage: [used(5, 1, 300), used(5, 2, 2), used(6, 1, 9)] });

    expect(usageOf(member, 5)).toEqual({ '1#2026-03': 300, '2#2026-03': 2 });
    expect(usageOf(member, 5, [{ limitId: 1, period: '2026-03', amount: 100 }])).toMatchObject({ '1#2026-03': 200 });
  });

  it('returns zero, not a negative usage, when a charge exceeds the stored usage', () => {
    expect(usageOf(aMember(), 5, [{ limitId: 1, period: '2026-03', amount: 100 }])).toEqual({ '1#2026-03': 0 });
  });
});
