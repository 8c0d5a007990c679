import { partitions } from '../../contracts/table.ts';
import { integerIdOf, parseIntegerId } from '../../domain/ids.ts';
import { type LedgerEntry, openingEntry } from '../../domain/ledger/ledger-entry.ts';
import { type Move, namedHolder } from '../../domain/ledger/manual-adjustment.ts';
import type { ErasedUser, Member, Membership, User } from '../../domain/member/member.ts';
import { customerEmailWrite } from '../../store/connect/connect.ts';
import { Ledger, ledgerWrite } from '../../store/ledger/ledger.ts';
import { memberIndexWrites } from '../../store/member/member-index.ts';
import { Members, memberWrites } from '../../store/member/members.ts';
import { noAccountCheck } from '../../store/member/program-accounts.ts';
import type { Item, Write } from '../../store/table/table-client.ts';
import { AlreadyExistsError, MemberErasedError, NotFoundError, type Subject, subjectText } from '../errors.ts';
import { countMove, type MoveDeps } from '../move-points.ts';
import type { Deps } from '../operation.ts';
import {
  findOrganisation,
  findOrganisationStores,
  loadOrganisationNames,
  organisationSubject,
} from '../organisation/find-organisation.ts';
import { loadTierNames, type tierNamesStores } from '../registry/tier-names.ts';
import { type AuditedDeps, writeAudited } from '../write-audited.ts';

export const findMemberStores = { ...findOrganisationStores, members: Members };
export type FindMemberDeps = Deps<typeof findMemberStores>;

/** The text that identifies a member. */
export interface MemberReference {
  /** The member's id or UUID. With `organisation`, the id that the organisation uses for the member. */
  readonly id: string;
  /** The id or exact name of the organisation. */
  readonly organisation?: string | undefined;
}

/** Loads a member with the names of its merchants, partners and status tiers. @throws NotFoundError when there is none */
export async function loadMember(reference: MemberReference, deps: FindMemberDeps & Deps<typeof tierNamesStores>) {
  const member = await findMember(reference, deps);
  const partnerIds = member.memberships.map(({ partnerId }) => partnerId);
  const merchantIds = member.associations.map(({ merchantId }) => merchantId);
  const [nameOf, tierNameOf] = await Promise.all([
    loadOrganisationNames([...partnerIds, ...merchantIds], deps),
    loadTierNames(partnerIds, deps),
  ]);
  return { member, nameOf, tierNameOf };
}

/**
 * Finds a member.
 *
 * @throws NotFoundError when there is none
 * @throws MemberErasedError when the id is that of an erased member
 */
export async function findMember({ id: text, organisation }: MemberReference, deps: FindMemberDeps): Promise<Member> {
  if (organisation !== undefined) return findByExternalId(text, organisation, deps);

  const id = parseIntegerId(text) ?? integerIdOf(text.toLowerCase());
  const found = id === undefined ? undefined : await deps.members.find(id);
  if (found && (isNamed(found.user, text) || isMergedId(found, text))) return found;
  const erased = found ? undefined : await findErased(text, deps);
  if (erased) throw new MemberErasedError(erased);
  throw new NotFoundError({ kind: 'member', id: text });
}

/** What is left of an erased member. The id or UUID may also be that of a user who was merged into the member. */
export async function findErased(text: string, deps: FindMemberDeps): Promise<ErasedUser | undefined> {
  const id = parseIntegerId(text) ?? integerIdOf(text.toLowerCase());
  const erased = id === undefined ? undefined : await deps.members.findErased(id);
  if (!erased) return undefined;
  const isMerged = erased.userId !== id;
  return isMerged || isNamed({ id: erased.userId, uuid: erased.userUuid }, text) ? erased : undefined;
}

/**
 * Whether a text is the id or the UUID of a user. Two UUIDs may lead to one integer, so the UUID is compared as well.
 */
const isNamed = ({ id, uuid }: Pick<User, 'id' | 'uuid'>, text: string): boolean =>
  [String(id), uuid].includes(text.toLowerCase());

/** Whether a text is the id or the UUID of the user who was merged into the member. */
export const isMergedId = ({ mergedUuid }: Member, text: string): boolean =>
  mergedUuid !== undefined && [mergedUuid, String(integerIdOf(mergedUuid))].includes(text.toLowerCase());

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
  /** The balance of the account. It equals the balance of the last entry, unless the books are inconsistent. */
  readonly balance: number;
  readonly entries: readonly AccountEntry[];
}

interface AccountEntry {
  readonly at: string;
  readonly kind: LedgerEntry['kind'];
  readonly points: number;
  readonly cashbackCents: number;
  /** Cashback that a batch pays out; below zero when the payout was returned. */
  readonly paidOutCents: number;
  /** The balance after this entry. */
  readonly balance: number;
  readonly campaignId: number | null;
  /** Null for opening balances and adjustments. */
  readonly transactionId: number | null;
  readonly transactionUuid: string | null;
  /** The UUID of a manual adjustment; absent for all other entries. */
  readonly adjustmentUuid?: string;
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

/** The kinds of entries whose id is not the id of a reward transaction. */
const withoutTransaction: ReadonlySet<LedgerEntry['kind']> = new Set([
  'OPENING',
  'ADJUSTMENT',
  'MANUAL_ADJUSTMENT',
  'PAYOUT',
  'PAYOUT_RETURN',
  'MERGED_OUT',
  'MERGED_IN',
]);

function toAccountEntry(entry: LedgerEntry, balance: number): AccountEntry {
  const { createdAt: at, kind, points, cashbackCents, campaign, payout, transactionId, transactionUuid } = entry;
  const isOfTransaction = !withoutTransaction.has(kind);
  const isManual = kind === 'MANUAL_ADJUSTMENT';
  return {
    ...{ at, kind, points, cashbackCents, paidOutCents: payout?.cents ?? 0, balance, campaignId: campaign?.id ?? null },
    transactionId: isOfTransaction ? transactionId : null,
    transactionUuid: isOfTransaction ? transactionUuid : null,
    ...(isManual && { adjustmentUuid: transactionUuid }),
  };
}

/** A new member: a customer of a merchant, and with `program` the holder of an account in a partner's program. */
export interface NewMember {
  readonly firstName: string;
  readonly lastName: string;
  readonly email: string;
  readonly merchant: { readonly id: number; readonly externalId: string };
  readonly program?: {
    readonly partnerId: number;
    readonly externalId: string;
    readonly statusTierId: number | null;
    /** Opening balance, which is a ledger entry like any other. */
    readonly points: number;
  };
}

/**
 * Creates a member. An account that the program already has cannot be created, only linked.
 *
 * @throws AlreadyExistsError when the merchant has a customer, or the program an account, with this external id
 * @throws SecondPersonNeededError when another operator has to approve the opening balance first
 */
export async function createMember(wanted: NewMember, deps: MoveDeps): Promise<Member> {
  return writeMember(wanted, await countMove(openingMoveOf(wanted), deps), deps);
}

/**
 * Writes a new member.
 *
 * @param counting the writes that count the opening balance for the rule of two persons
 * @throws AlreadyExistsError
 */
export async function writeMember(wanted: NewMember, counting: readonly Write[], deps: AuditedDeps): Promise<Member> {
  const { merchant, email, program } = wanted;
  const member = newMember(wanted, deps);
  await writeAudited(
    {
      what: `created ${subjectText(memberSubject(member))}, customer ${merchant.externalId} of organisation ${merchant.id}`,
      writes: [
        ...memberWrites(member),
        ...memberIndexWrites(member.user),
        customerEmailWrite(merchant.id, email, member.user.id),
        ...openingWrites(member),
        ...(program ? [noAccountCheck(program.partnerId, program.externalId)] : []),
        ...counting,
      ],
      conflict: (found) => takenId(wanted, found),
    },
    deps,
  );
  return member;
}

/** The opening balance of a new member's account, as a change of its points. */
export function openingMoveOf({ program, ...holder }: Omit<NewMember, 'merchant'>): Move {
  if (!program) return { changes: [] };
  const { partnerId, externalId: memberId, points: to } = program;
  return { changes: [{ partnerId, memberId, holder: namedHolder(holder), from: 0, to }] };
}

function newMember({ merchant, program, firstName, lastName, email }: NewMember, deps: AuditedDeps): Member {
  const { uuid, id } = deps.nextIds();
  const createdAt = deps.now().toISOString();
  const link = () => ({ id: deps.nextIds().id, userId: id, totalEarnedPoints: 0, totalRedeemedPoints: 0, createdAt });
  return {
    user: {
      ...{ id, uuid, firstName, lastName, email, createdAt },
      phoneNumber: null,
      externalId: merchant.externalId,
      defaultPartnerId: program?.partnerId ?? null,
    },
    associations: [{ ...link(), merchantId: merchant.id, externalId: merchant.externalId }],
    memberships: program ? [{ ...link(), firstName, lastName, ...newAccount(program) }] : [],
    usage: [],
    spend: [],
  };
}

function newAccount({ partnerId, externalId, statusTierId, points }: NonNullable<NewMember['program']>) {
  return {
    partnerId,
    externalId,
    statusTierId,
    availablePoints: points,
    heldPoints: 0,
    owedPoints: 0,
    cashbackCents: 0,
  };
}

function openingWrites({ user, memberships }: Member): Write[] {
  const { createdAt } = user;
  return memberships.map(({ partnerId, availablePoints: points }: Membership) =>
    ledgerWrite(openingEntry(user, { partnerId, points, createdAt })),
  );
}

/** The error for an external id that exists already: in the program, or else at the merchant. */
function takenId({ merchant, program }: NewMember, found: Item | null): AlreadyExistsError {
  const isInProgram =
    found?.pk.startsWith(partitions.programAccount) ||
    found?.pk.startsWith(`${partitions.externalUser}${program?.partnerId}#`);
  return program && isInProgram
    ? new AlreadyExistsError(
        { kind: 'program account', id: program.externalId },
        { kind: 'organisation', id: program.partnerId },
      )
    : new AlreadyExistsError({ kind: 'customer', id: merchant.externalId }, { kind: 'organisation', id: merchant.id });
}
