import type { LedgerEntry } from '../../domain/ledger/ledger-entry.ts';
import type { Member, Membership } from '../../domain/member/member.ts';
import { Ledger } from '../../store/ledger/ledger.ts';
import type { Deps } from '../deps.ts';
import { NotFoundError } from '../errors.ts';
import { findOrganisation, loadOrganisationNames, organisationSubject } from '../organisation/find-organisation.ts';
import { findMember, findMemberStores, type MemberReference, memberSubject } from './find-member.ts';

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
