import { integerIdOf, parseIntegerId } from '../../domain/ids.ts';
import type { LedgerEntry } from '../../domain/ledger/ledger-entry.ts';
import type { Member, Membership } from '../../domain/member/member.ts';
import { Ledger } from '../../store/ledger/ledger.ts';
import { Members } from '../../store/member/members.ts';
import { NotFoundError, type Subject } from '../errors.ts';
import type { Deps } from '../operation.ts';
import {
  findOrganisation,
  findOrganisationStores,
  loadOrganisationNames,
  organisationSubject,
} from '../organisation/find-organisation.ts';

export const findMemberStores = { ...findOrganisationStores, members: Members };
export type FindMemberDeps = Deps<typeof findMemberStores>;

/** The text that identifies a member. */
export interface MemberReference {
  /** The member's id or UUID. With `organisation`, the id that the organisation uses for the member. */
  readonly id: string;
  /** The id or exact name of the organisation. */
  readonly organisation?: string | undefined;
}

/** Loads a member with the names of its merchants and partners. @throws NotFoundError when there is none */
export async function loadMember(reference: MemberReference, deps: FindMemberDeps) {
  const member = await findMember(reference, deps);
  const partnerIds = member.memberships.map(({ partnerId }) => partnerId);
  const merchantIds = member.associations.map(({ merchantId }) => merchantId);
  return { member, nameOf: await loadOrganisationNames([...partnerIds, ...merchantIds], deps) };
}

/** Finds a member. @throws NotFoundError when there is none */
export async function findMember({ id: text, organisation }: MemberReference, deps: FindMemberDeps): Promise<Member> {
  if (organisation !== undefined) return findByExternalId(text, organisation, deps);

  const id = parseIntegerId(text) ?? integerIdOf(text.toLowerCase());
  const found = id === undefined ? undefined : await deps.members.find(id);
  // Two UUIDs may lead to one integer; only one of them is the member's.
  if (found && (text === String(found.user.id) || text.toLowerCase() === found.user.uuid)) return found;
  throw new NotFoundError({ kind: 'member', id: text });
}

async function findByExternalId(externalId: string, organisation: string, deps: FindMemberDeps): Promise<Member> {
  const owner = await findOrganisation(organisation, deps);
  const found = await deps.members.findByExternalId(owner.id, externalId);
  if (found) return found;
  throw new NotFoundError({ kind: 'member', id: externalId }, { within: organisationSubject(owner) });
}

export const memberSubject = ({ user }: Pick<Member, 'user'>): Subject => ({
  kind: 'member',
  id: user.id,
  name: `${user.firstName} ${user.lastName}`,
});

export const loadLedgerStores = { ...findMemberStores, ledger: Ledger };

/** Every movement of a member's points in one program, oldest first. */
export interface LedgerAccount {
  readonly partnerId: number;
  /** The balance of the account; equal to the last entry's unless the books are inconsistent. */
  readonly balance: number;
  readonly entries: readonly AccountEntry[];
}

interface AccountEntry {
  readonly at: string;
  readonly kind: LedgerEntry['kind'];
  readonly points: number;
  readonly cashbackCents: number;
  /** The balance after this entry. */
  readonly balance: number;
  readonly campaignId: number | null;
  /** Null for an opening balance. */
  readonly transactionId: number | null;
  readonly transactionUuid: string | null;
}

/** The accounts of a member. */
export interface MemberLedger {
  readonly member: Member;
  readonly accounts: readonly LedgerAccount[];
  readonly nameOf: (partnerId: number) => string;
}

/**
 * Loads the ledger of a member, in one partner's program or in all.
 *
 * @throws NotFoundError when there is no such member, or no account in the program
 */
export async function loadMemberLedger(
  { member: reference, program }: { readonly member: MemberReference; readonly program?: string | undefined },
  deps: Deps<typeof loadLedgerStores>,
): Promise<MemberLedger> {
  const member = await findMember(reference, deps);
  const partner = program === undefined ? undefined : await findOrganisation(program, deps);
  const memberships = member.memberships.filter(({ partnerId }) => partner === undefined || partnerId === partner.id);
  if (partner && memberships.length === 0) {
    const id = memberSubject(member).id;
    throw new NotFoundError({ kind: 'program account', id }, { within: organisationSubject(partner) });
  }
  const load = async (membership: Membership) =>
    accountOf(membership, await deps.ledger.entriesOf(member.user.id, membership.partnerId));
  const partnerIds = memberships.map(({ partnerId }) => partnerId);
  const [accounts, nameOf] = await Promise.all([
    Promise.all(memberships.map(load)),
    loadOrganisationNames(partnerIds, deps),
  ]);
  return { member, accounts, nameOf };
}

function accountOf(membership: Membership, entries: readonly LedgerEntry[]): LedgerAccount {
  let balance = 0;
  const inOrder = entries.toSorted((one, other) => one.createdAt.localeCompare(other.createdAt));
  return {
    partnerId: membership.partnerId,
    balance: membership.availablePoints + membership.heldPoints,
    entries: inOrder.map((entry) => {
      balance += entry.points;
      return toAccountEntry(entry, balance);
    }),
  };
}

function toAccountEntry(entry: LedgerEntry, balance: number): AccountEntry {
  const { createdAt: at, kind, points, cashbackCents, campaign, transactionId, transactionUuid } = entry;
  const isOpening = kind === 'OPENING';
  return {
    ...{ at, kind, points, cashbackCents, balance, campaignId: campaign?.id ?? null },
    transactionId: isOpening ? null : transactionId,
    transactionUuid: isOpening ? null : transactionUuid,
  };
}
