import { describe, expect, it } from 'vitest';
import { decideAwards, type Earner, selectCampaign } from '../../shared/domain/award/decide-awards.ts';
import { decideLink } from '../../shared/domain/connect/decide-link.ts';
import { sumMovements } from '../../shared/domain/ledger/sum-movements.ts';
import type { Block } from '../../shared/domain/member/member.ts';
import { findMismatches } from '../../shared/domain/reconciliation/invariants.ts';
import {
  aCampaign,
  aMember,
  aMembership,
  anAssociation,
  aPartnership,
  aRequest,
  aTransaction,
  aUser,
  decided,
  noon,
} from './fixtures.ts';

const block: Block = { reason: 'Stolen card', operator: 'ada', at: noon.toISOString() };
const blockedUser = aMember({ user: aUser({ block }) });
const blockedAccount = aMember({ memberships: [aMembership({ block })] });
const other = {
  campaign: aCampaign({ id: 7, partnerId: 3, partnershipUuid: 'other' }),
  partnership: aPartnership({ uuid: 'other', partnerId: 3 }),
};

describe('a token', () => {
  it('is refused as blocked when the person is blocked', () => {
    expect(selectCampaign(aRequest({ member: blockedUser, campaigns: [] }))).toEqual({ refused: 'member_blocked' });
  });

  it('is refused when the account in the campaign’s program is blocked', () => {
    expect(decided(aRequest({ member: blockedAccount }))).toMatchObject({ refused: 'member_blocked' });
  });

  it('is issued when the blocked account is in another program', () => {
    const memberships = [aMembership({ block }), aMembership({ id: 99, partnerId: 3 })];
    const request = aRequest({
      ...{ member: aMember({ memberships }), campaignId: 7 },
      ...{ campaigns: [aCampaign(), other.campaign], partnerships: [aPartnership(), other.partnership] },
    });
    expect(decided(request)).toMatchObject({ campaign: { id: 7 } });
  });
});

describe('an award without a token', () => {
  const event = { trigger: { type: 'REGISTRATION' }, at: noon, amountCents: null } as const;
  const flow = (one: ReturnType<typeof aCampaign>) => ({
    ...one,
    flows: one.flows.map((own) => ({ ...own, trigger: { type: 'REGISTRATION' as const } })),
  });
  const earner = (member: Earner['member']): Earner => ({
    member,
    campaigns: [flow(aCampaign()), flow(other.campaign)],
    partnerships: [aPartnership(), other.partnership],
  });

  it('is rejected when the person or the only account is blocked', () => {
    for (const member of [blockedUser, blockedAccount]) {
      expect(decideAwards(earner(member), event)).toMatchObject({ awards: [], rejection: 'member_blocked' });
    }
  });

  it('is not rejected for a block while another account is unblocked', () => {
    const memberships = [aMembership({ block }), aMembership({ id: 99, partnerId: 3 })];
    const { rejection } = decideAwards(earner(aMember({ memberships })), event);
    expect(rejection).not.toBe('member_blocked');
  });
});

describe('a link', () => {
  const account = { ...aMembership(), email: null, points: 0 };
  const ids = { user: { id: 11, uuid: 'eleven' }, membership: 21, association: 31 };
  const at = noon.toISOString();

  it.each([
    ['a blocked person', blockedUser],
    ['a blocked account', blockedAccount],
  ])('is refused for %s', (_, byAccount) => {
    const known = { byAccount, byExternalId: undefined, byEmail: undefined };
    const link = decideLink({ organisationId: 1, user: {} }, account, known, { ids, at, offeredAt: at });
    expect(link).toEqual({ refused: 'member_blocked' });
  });

  it('is refused for a blocked customer who has not linked an account yet', () => {
    const byExternalId = aMember({
      ...{ user: aUser({ id: 77, block }), memberships: [] },
      associations: [anAssociation({ userId: 77, externalId: 'cc-9' })],
    });
    const known = { byAccount: undefined, byExternalId, byEmail: undefined };
    const session = { organisationId: 1, user: { externalId: 'cc-9' } };
    expect(decideLink(session, account, known, { ids, at, offeredAt: at })).toEqual({ refused: 'member_blocked' });
  });
});

describe('a block', () => {
  const barred = (...steps: Parameters<typeof sumMovements>[0]) =>
    sumMovements(steps, noon).accounts.map(({ isBarredByBlock = false }) => isBarredByBlock);
  const payment = aTransaction({ type: 'REDEEM' });
  const posting = { attempts: 1, startedAt: noon.toISOString(), dueAt: noon.toISOString() };

  it('bars new payments with points, and rewards in hosted programs', () => {
    expect(barred({ transition: 'reserve', transaction: payment })).toEqual([true]);
    expect(barred({ transition: 'complete', transaction: aTransaction() })).toEqual([true]);
  });

  it('bars neither reversals nor what began before it', () => {
    const reverses = { id: 1, uuid: 'original', refundUuid: 'refund' };
    for (const transaction of [
      payment,
      aTransaction({ otherLegId: 7 }),
      aTransaction({ reverses }),
      aTransaction({ posting }),
    ]) {
      expect(barred({ transition: 'complete', transaction })).toEqual([false]);
    }
    expect(barred({ transition: 'cancel', transaction: payment })).toEqual([false]);
  });
});

describe('the counter of a velocity rule', () => {
  const count = { rule: 'REWARDS_PER_DAY', window: '2026-03-08' };
  const transactions = [aTransaction({ counted: [{ ...count, amount: 1 }], createdAt: noon.toISOString() })];
  const [{ userId, partnerId }] = transactions as [ReturnType<typeof aTransaction>];
  const none = {
    memberships: [],
    claims: [],
    entries: [],
    usage: [],
    programAccounts: [],
    adjustments: [],
    payouts: [],
    merges: new Map(),
  };
  const mismatches = (used: number | undefined) =>
    findMismatches(
      { ...none, transactions, velocity: used === undefined ? [] : [{ ...count, userId, partnerId, used }] },
      noon,
    ).flatMap(({ subject, found, expected }) => (subject.startsWith('velocity') ? [[found, expected]] : []));

  it('is reported as wrong unless it equals the sum of the counted rewards', () => {
    expect(mismatches(1)).toEqual([]);
    expect(mismatches(2)).toEqual([[2, 1]]);
    expect(mismatches(undefined)).toEqual([[0, 1]]);
  });
});
