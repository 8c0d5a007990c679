import {
  type AccountRefusal,
  type AccountValues,
  differencesOf,
  type ProgramAccount,
} from '../../domain/connect/program-account.ts';
import { isPin } from '../../domain/connect/proof-counter.ts';
import { InvalidInputError } from '../../domain/errors.ts';
import { type BalanceChange, namedHolder } from '../../domain/ledger/manual-adjustment.ts';
import { type Member, type Membership, seenAt } from '../../domain/member/member.ts';
import type { Organisation } from '../../domain/organisation.ts';
import { Partnerships } from '../../store/campaign/partnerships.ts';
import { ProofCounters } from '../../store/connect/proof-counters.ts';
import { noUserCheck } from '../../store/member/members.ts';
import {
  type AccountRange,
  hashPin,
  isPinOf,
  ProgramAccounts,
  programAccountWrites,
} from '../../store/member/program-accounts.ts';
import type { Write } from '../../store/table/table-client.ts';
import { AlreadyExistsError, NotFoundError, OperationError, type Subject } from '../errors.ts';
import { DifferentValuesError, type ImportReport, type ImportRow, importRows, onlyOnce } from '../import-rows.ts';
import { countMove, isApproved, type MoveDeps, movePointsStores } from '../move-points.ts';
import { findOrganisationOfKind, organisationSubject } from '../organisation/find-organisation.ts';
import { type AuditedDeps, writeAudited } from '../write-audited.ts';
import { findMemberStores } from './manage-members.ts';

// The accounts of programs that the platform hosts. Holders or operators link them.

const programAccountStores = {
  ...findMemberStores,
  ...movePointsStores,
  partnerships: Partnerships,
  programAccounts: ProgramAccounts,
  proofCounters: ProofCounters,
};
export type ProgramAccountDeps = AuditedDeps<typeof programAccountStores>;

/** The account cannot be opened, changed, closed or linked like this. The message says why. */
export class UnusableAccountError extends OperationError {
  override readonly name = 'UnusableAccountError';
}

/** A new account of a hosted program. */
export interface NewProgramAccount {
  readonly memberId: string;
  /** Without a PIN only an operator can link the account. */
  readonly pin?: string | undefined;
  readonly firstName: string;
  readonly lastName: string;
  readonly email: string | null;
  readonly statusTierId: number | null;
  readonly points: number;
}

/**
 * Opens an account in a partner's hosted program. Its holder can link it with the PIN. Its points reach the ledger with
 * the first link.
 *
 * @throws InvalidInputError when the PIN is not a text of at least six digits
 * @throws AlreadyExistsError when the program has an account with this number
 * @throws SecondPersonNeededError
 */
export async function openProgramAccount(
  partnerId: number,
  wanted: NewProgramAccount,
  deps: MoveDeps,
): Promise<ProgramAccount> {
  const counting = await countMove({ changes: [openingOf(partnerId, wanted)] }, deps);
  return writeAccount(partnerId, wanted, counting, deps);
}

/** The opening balance of a new account, as a change of its points. */
export const openingOf = (
  partnerId: number,
  { memberId, points: to, ...holder }: NewProgramAccount,
): BalanceChange => ({
  ...{ partnerId, memberId, holder: namedHolder(holder) },
  ...{ from: 0, to },
});

async function writeAccount(
  partnerId: number,
  { pin, points, ...holder }: NewProgramAccount,
  counting: readonly Write[],
  deps: AuditedDeps,
): Promise<ProgramAccount> {
  const account: ProgramAccount = {
    ...holder,
    ...(pin !== undefined && (await hashedPin(pin, deps))),
    partnerId,
    openingPoints: points,
  };
  const { memberId, statusTierId } = account;
  await writeAudited(
    {
      what: `opened account ${memberId} of organisation ${partnerId}`,
      change: { before: null, after: { statusTierId, openingPoints: points } },
      writes: [...programAccountWrites(account), noUserCheck(partnerId, memberId), ...counting],
      conflict: () => new AlreadyExistsError({ kind: 'program account', id: memberId }, partnerSubject(partnerId)),
    },
    deps,
  );
  return account;
}

/** Hashes a PIN with a new salt. @throws InvalidInputError when it is not a text of at least six digits */
export async function hashedPin(pin: string, { random }: Pick<AuditedDeps, 'random'>) {
  if (!isPin(pin)) {
    throw new InvalidInputError([{ path: ['pin'], code: 'invalid_pin', message: 'must have six digits or more' }]);
  }
  return hashPin(pin, Buffer.from(random(16)).toString('hex'));
}

const partnerSubject = (id: number): Subject => ({ kind: 'organisation', id });

/**
 * Finds a partner whose program the platform hosts.
 *
 * @throws NotFoundError, WrongOrganisationKindError
 * @throws UnusableAccountError when the partner runs the program itself
 */
export async function findHostedProgram(text: string, deps: ProgramAccountDeps): Promise<Organisation> {
  const partner = await findOrganisationOfKind(text, 'PARTNER', deps);
  if (partner.program?.kind === 'hosted') return partner;
  throw new UnusableAccountError(
    `${partner.name} runs its program itself and keeps the accounts there; member link connects one to a customer`,
  );
}

/** Accounts to import into a partner's hosted program. */
export interface AccountImport {
  /** The partner of the program, by id or exact name. */
  readonly program: string;
  readonly rows: readonly ImportRow<NewProgramAccount>[];
  readonly isDryRun: boolean;
}

/**
 * Imports accounts into a hosted program. An account that exists with the same values counts as unchanged. An account
 * that exists with other values is a fault. Before the first account is written, the points of all new accounts are
 * counted together for the rule of two persons.
 *
 * @throws NotFoundError, WrongOrganisationKindError, UnusableAccountError
 * @throws SecondPersonNeededError
 */
export async function importProgramAccounts(
  { program, rows, isDryRun }: AccountImport,
  deps: ProgramAccountDeps,
): Promise<ImportReport> {
  const partner = await findHostedProgram(program, deps);
  if (!isDryRun) await countImport(partner.id, rows, deps);
  const checkOnce = onlyOnce('account');
  return importRows(
    rows,
    async (row) => {
      checkOnce(row.memberId);
      const [account, userId] = await Promise.all([
        deps.programAccounts.find(partner.id, row.memberId),
        deps.members.findUserId(partner.id, row.memberId),
      ]);
      if (account) await compare(account, row);
      else if (userId !== undefined)
        throw new AlreadyExistsError(accountSubject(row.memberId), partnerSubject(partner.id));
      return { outcome: account ? 'unchanged' : 'created', write: () => writeAccount(partner.id, row, [], deps) };
    },
    { isDryRun },
  );
}

/**
 * The opening balances of a file, as changes of points. An approval of these changes names all accounts with their
 * holders and points.
 */
export const openingsOf = (partnerId: number, rows: AccountImport['rows']): BalanceChange[] =>
  rows.map(({ row }) => openingOf(partnerId, row)).filter(({ to }) => to !== 0);

/** Counts the points of the accounts that the file opens, unless another operator has approved the whole file. */
async function countImport(partnerId: number, rows: AccountImport['rows'], deps: ProgramAccountDeps): Promise<void> {
  const { author } = deps;
  const changes = openingsOf(partnerId, rows);
  if (!author || (await isApproved({ changes }, { ...deps, author }))) return;
  const known = await deps.programAccounts.findMany(
    partnerId,
    changes.map(({ memberId }) => memberId),
  );
  const opened = changes.filter(({ memberId }) => !known.has(memberId));
  await deps.table.writeAll(await countMove({ changes: opened }, deps));
}

/** @throws DifferentValuesError, or UnusableAccountError when the account is closed */
async function compare(account: ProgramAccount, { points, pin, ...holder }: NewProgramAccount): Promise<void> {
  if (account.closedAt !== undefined) throw refusalOf('closed', account);
  const names = differenceTexts(account, { ...holder, openingPoints: points });
  if (pin !== undefined && !(await isPinOf(account, pin))) names.push('PIN');
  if (names.length > 0) throw new DifferentValuesError(accountSubject(account.memberId), names);
}

export const accountSubject = (id: string): Subject => ({ kind: 'program account', id });

/** What the platform knows about an account of a program. */
export interface KnownAccount {
  readonly partner: Organisation;
  readonly memberId: string;
  /** Undefined in a partner's own program, and for an account that was created together with its member. */
  readonly account: ProgramAccount | undefined;
  /** The member who has linked the account. */
  readonly member: Member | undefined;
  /** The account in the books: its points since the first link. */
  readonly membership: Membership | undefined;
  /** The merchants that use the account. */
  readonly merchantIds: readonly number[];
}

/**
 * Loads an account and its member. The account is read before the member. A link that is made after the first read
 * changes the account. So a later write that depends on both reads fails.
 */
export async function loadAccount(
  partner: Organisation,
  memberId: string,
  deps: ProgramAccountDeps,
): Promise<KnownAccount> {
  const account = await deps.programAccounts.find(partner.id, memberId);
  const [member, partnerships] = await Promise.all([
    deps.members.findByExternalId(partner.id, memberId),
    deps.partnerships.of('byPartner', partner.id),
  ]);
  const ofPartner = ({ partnerId }: Membership) => partnerId === partner.id;
  const merchants = new Set(partnerships.map(({ merchantId }) => merchantId));
  // A merchant without a partnership uses no account of the program.
  const used = (member?.associations ?? [])
    .map(({ merchantId }) => merchantId)
    .filter((id) => merchants.has(id) && member && seenAt(member, id, deps.now()).memberships.some(ofPartner));
  return { partner, memberId, account, member, membership: member?.memberships.find(ofPartner), merchantIds: used };
}

/** The account that a command names. */
export interface AccountReference {
  /** The partner of the program, by id or exact name. */
  readonly program: string;
  /** The account's number in the program. */
  readonly account: string;
}

/**
 * Finds an account of a hosted program or of a partner's own program.
 *
 * @throws NotFoundError when the platform knows no such account
 */
export async function findProgramAccount(
  { program, account: memberId }: AccountReference,
  deps: ProgramAccountDeps,
): Promise<KnownAccount> {
  const partner = await findOrganisationOfKind(program, 'PARTNER', deps);
  const known = await loadAccount(partner, memberId, deps);
  if (known.account || known.member) return known;
  throw accountNotFound(partner, memberId);
}

export const accountNotFound = (partner: Organisation, memberId: string): NotFoundError =>
  new NotFoundError({ kind: 'account number', id: memberId }, { within: organisationSubject(partner) });

/** Some accounts of a hosted program, sorted by account number. */
export interface AccountPage {
  readonly partner: Organisation;
  readonly accounts: readonly ProgramAccount[];
  readonly hasMore: boolean;
}

/** Lists accounts of a hosted program. @throws NotFoundError, WrongOrganisationKindError, UnusableAccountError */
export async function listProgramAccounts(
  { program, limit, after }: AccountRange & { readonly program: string },
  deps: ProgramAccountDeps,
): Promise<AccountPage> {
  const partner = await findHostedProgram(program, deps);
  const found = await deps.programAccounts.listOf(partner.id, { limit: limit + 1, after });
  return { partner, accounts: found.slice(0, limit), hasMore: found.length > limit };
}

/** Lists, in words, the values of an account that differ from new values. */
export const differenceTexts = (account: AccountValues, others: Partial<AccountValues>): string[] =>
  differencesOf(account, others).map((name) => valueTexts[name]);

const valueTexts: Readonly<Record<keyof AccountValues, string>> = {
  firstName: 'first name',
  lastName: 'last name',
  email: 'e-mail',
  statusTierId: 'tier',
  openingPoints: 'opening balance',
};

/** The error for a change that the rules of accounts refuse. */
export function refusalOf(refusal: AccountRefusal, { memberId }: ProgramAccount): UnusableAccountError {
  return new UnusableAccountError(`account ${memberId} ${refusalTexts[refusal]}`);
}

const refusalTexts: Readonly<Record<AccountRefusal, string>> = {
  closed: 'is closed',
  points_are_in_the_ledger: 'was linked, so its opening balance is in the ledger and never changes',
  used_by_merchants: 'is linked: end that first, with member unlink',
  held_points: 'has points that tokens or pending payments hold: wait for their end',
  has_points: 'has points: give --write-off if they are given up',
};
