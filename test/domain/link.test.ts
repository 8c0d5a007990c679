import { describe, expect, it } from 'vitest';
import type { ConnectingUser } from '../../shared/domain/connect/connect-session.ts';
import {
  awardRequestForReferral,
  awardRequestForRegistration,
  createdMembership,
  decideLink,
  type KnownMembers,
  type Link,
  referrerIdOf,
} from '../../shared/domain/connect/decide-link.ts';
import type { Member } from '../../shared/domain/member/member.ts';
import { aMember, aMembership, anAssociation, noon } from './fixtures.ts';

const at = noon.toISOString();
const made = { merchantId: 1, partnerId: 2, occurredAt: at };
const austin = { country: 'US', region: 'TX', city: 'Austin' };
const account = {
  partnerId: 2,
  externalId: 'SKY-9',
  firstName: 'Linus',
  lastName: 'Pauling',
  email: null,
  statusTierId: 1,
  points: 700,
};
const ids = { user: { id: 11, uuid: 'eleven' }, membership: 21, association: 31 };
const nobody: KnownMembers = { byAccount: undefined, byExternalId: undefined, byEmail: undefined };

/** Decides about a link at merchant 1 for a user with attributes. */
function linked(user: ConnectingUser, known: Partial<KnownMembers> = {}): Link {
  const link = decideLink({ organisationId: 1, user }, account, { ...nobody, ...known }, { ids, at, offeredAt: at });
  if ('refused' in link) throw new Error(link.refused);
  return link;
}

/** Returns the member after a link. */
const memberAfter = ({ user, membership, association }: Link): Member => ({
  ...aMember(),
  user,
  memberships: membership ? [membership] : [],
  associations: association ? [association] : [],
});

describe('the attributes of a connect session', () => {
  const told = { location: austin, attributes: { plan: ['gold'] } };

  it('are stored in the association, not on the user', () => {
    const link = linked(told);
    expect(link).toMatchObject({ isNewUser: true, association: { merchantId: 1, ...told }, changed: undefined });
    for (const name of Object.keys(told)) expect(link.user).not.toHaveProperty(name);
    for (const name of Object.keys(told)) expect(linked({}).association).not.toHaveProperty(name);
  });

  it('replace stored attributes of the same names', () => {
    const own = anAssociation({ attributes: { plan: ['free'], club: ['a'] } });
    const customer = aMember({ memberships: [], associations: [own] });
    const { association, changed } = linked(told, { byExternalId: customer });
    expect(association).toBeUndefined();
    expect(changed).toEqual({
      association: own,
      set: { linkRevision: 1, location: austin, attributes: { plan: ['gold'], club: ['a'] } },
      remove: [],
      adopted: undefined,
    });
    expect(linked({}, { byExternalId: customer }).changed?.set).toEqual({ linkRevision: 1 });
  });

  it('leave a stored value unchanged when the session does not contain it', () => {
    const customer = aMember({ memberships: [], associations: [anAssociation({ location: austin })] });
    expect(linked({ attributes: { plan: [] } }, { byExternalId: customer }).changed?.set).toEqual({
      linkRevision: 1,
      attributes: { plan: [] },
    });
    expect(linked({ location: austin }, { byExternalId: customer }).changed?.set).toEqual({
      linkRevision: 1,
      location: austin,
    });
  });

  it('are stored together with a new external id', () => {
    const customer = aMember({ memberships: [], associations: [anAssociation({ externalId: null })] });
    const { changed } = linked({ ...told, externalId: 'cc-7' }, { byEmail: customer });
    expect(changed?.set).toEqual({ linkRevision: 1, ...told, externalId: 'cc-7' });
    const named = aMember({ memberships: [] });
    expect(linked({ externalId: 'cc-1' }, { byExternalId: named }).changed?.set).toEqual({ linkRevision: 1 });
  });

  it('do not change attributes that other merchants stored', () => {
    const theirs = anAssociation({ merchantId: 8, attributes: { plan: ['free'], club: ['a'] } });
    const others = aMember({ memberships: [aMembership({ externalId: 'SKY-9' })], associations: [theirs] });
    const { user, isNewUser, association, changed } = linked(told, { byAccount: others });
    expect([isNewUser, user]).toEqual([false, others.user]);
    expect(association).toMatchObject({ merchantId: 1, ...told });
    expect(changed).toBeUndefined();
  });
});

describe('referrerIdOf()', () => {
  const referred = { referrerExternalId: 'cc-1001' };

  it('returns the referrer whom the merchant named in the connect session', () => {
    expect(referrerIdOf(memberAfter(linked(referred)), made)).toBe('cc-1001');
  });

  it.each<[string, Member, typeof made]>([
    ['the merchant named no referrer', memberAfter(linked({})), made],
    [
      'the member was a customer before',
      memberAfter(linked(referred, { byExternalId: aMember({ memberships: [] }) })),
      made,
    ],
    ['another merchant named the referrer', memberAfter(linked(referred)), { ...made, merchantId: 3 }],
    [
      'the event is about a later link',
      memberAfter(linked(referred)),
      { ...made, occurredAt: '2026-03-08T12:00:01.000Z' },
    ],
    [
      'the user is older than the link, although a referrer is stored',
      aMember({ associations: [anAssociation(referred)] }),
      made,
    ],
  ])('returns undefined when %s', (_case, member, link) => {
    expect(referrerIdOf(member, link)).toBeUndefined();
  });
});

describe('createdMembership()', () => {
  const member = memberAfter(linked({}));
  const later = '2026-03-09T12:00:00.000Z';

  it('returns the membership that the link created', () => {
    expect(createdMembership(member, made)).toMatchObject({ id: 21, partnerId: 2 });
  });

  it.each([
    ['the link is a later link of the same account', { ...made, occurredAt: later }],
    ['the link is to another program', { ...made, partnerId: 3 }],
  ])('returns undefined when %s', (_case, link) => {
    expect(createdMembership(member, link)).toBeUndefined();
  });
});

describe('awardRequestForRegistration() and awardRequestForReferral()', () => {
  it('return the time of the link and the id of the membership', () => {
    const membership = aMembership({ id: 21, createdAt: at });
    const [registration, referral] = [
      awardRequestForRegistration(made, membership),
      awardRequestForReferral(made, membership),
    ];
    expect(registration).toEqual({
      event: { trigger: { type: 'REGISTRATION' }, at: noon, amountCents: null },
      basis: { merchantId: 1, externalTransactionId: '21', kind: 'REGISTRATION', amountCents: 0 },
    });
    expect(referral).toEqual({
      event: { ...registration.event, trigger: { type: 'REFERRAL' } },
      basis: { ...registration.basis, kind: 'REFERRAL' },
    });
  });
});
