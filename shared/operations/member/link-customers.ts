import type { ConnectingUser } from '../../domain/connect/connect-session.ts';
import type { Link, ProvenAccount } from '../../domain/connect/decide-link.ts';
import { toProvenAccount } from '../../domain/connect/program-account.ts';
import { blockOf, type User } from '../../domain/member/member.ts';
import type { Organisation } from '../../domain/organisation.ts';
import { Programs } from '../../programs/programs.ts';
import { AccountChangedError, LinkConflictError } from '../../store/connect/connect.ts';
import {
  commitLinkStores,
  type LinkEvidence,
  loadEvidence,
  type OfferedLink,
  OfferRefusedError,
  prepareLink,
} from '../connect/commit-link.ts';
import { type Subject, subjectText } from '../errors.ts';
import {
  DifferentValuesError,
  type ImportReport,
  type ImportRow,
  importRows,
  onlyOnce,
  type PlannedRow,
  type RowOutcome,
} from '../import-rows.ts';
import { decideAndWrite } from '../operation.ts';
import { findOrganisationOfKind, organisationSubject } from '../organisation/find-organisation.ts';
import { type AuditedDeps, auditWrites, type Confirmable } from '../write-audited.ts';
import { createMember } from './manage-members.ts';
import {
  accountNotFound,
  loadAccount,
  type ProgramAccountDeps,
  refusalOf,
  UnusableAccountError,
} from './program-accounts.ts';

// Links that an operator makes: of one customer of a merchant, or of many.

const linkCustomerStores = { ...commitLinkStores, programs: Programs };
type LinkCustomerDeps = ProgramAccountDeps & AuditedDeps<typeof linkCustomerStores>;

/** A customer of a merchant, and the program's account to link to the customer. */
export interface CustomerLink extends Confirmable<RowOutcome> {
  /** The merchant, by id or exact name. */
  readonly merchant: string;
  /** The merchant's own data about the customer. The platform need not know the customer yet. */
  readonly customer: Customer;
  /** The partner of the program, by id or exact name. */
  readonly program: string;
  /** The account's number in the program. */
  readonly account: string;
  /**
   * A PIN, password or one-time code. A partner's own program requires it. A hosted program checks it if it is given.
   */
  readonly proof?: string | undefined;
}

type Customer = ConnectingUser & { readonly externalId: string };

/** The outcome of a link by an operator. */
export interface LinkedCustomer {
  readonly outcome: RowOutcome;
  readonly user: Pick<User, 'id' | 'uuid'>;
  readonly merchantId: number;
  readonly partnerId: number;
}

/**
 * Links an account to a customer of a merchant without the connect flow, by the same rules and with the same event. No
 * tokens are issued: the merchant gets tokens only by the customer's own consent.
 *
 * @throws NotFoundError, WrongOrganisationKindError
 * @throws UnusableAccountError when the account cannot be linked to this customer
 * @throws ProgramUnavailableError when the partner's own program does not answer
 */
export async function linkCustomer(order: CustomerLink, deps: LinkCustomerDeps): Promise<LinkedCustomer> {
  const merchant = await findOrganisationOfKind(order.merchant, 'MERCHANT', deps);
  const partner = await findOrganisationOfKind(order.program, 'PARTNER', deps);
  const planned = await planLink({ ...order, merchant, partner }, deps);
  if (planned.outcome === 'unchanged') return planned.seen;
  await order.confirm?.(planned.outcome);
  return planned.write();
}

/** A link whose organisations were found. */
interface WantedLink extends Pick<CustomerLink, 'customer' | 'account' | 'proof'> {
  readonly merchant: Organisation;
  readonly partner: Organisation;
}

interface PlannedLink extends PlannedRow {
  /** The outcome as it was decided before the write. */
  readonly seen: LinkedCustomer;
  readonly write: () => Promise<LinkedCustomer>;
}

/** Decides a link. The write of the link decides again, because another writer may have been faster. */
async function planLink(wanted: WantedLink, deps: LinkCustomerDeps): Promise<PlannedLink> {
  const { seen } = await decide(wanted, deps);
  const write = () =>
    decideAndWrite(
      {
        subject: `the link of account ${wanted.account} of organisation ${wanted.partner.id}`,
        load: () => decide(wanted, deps),
        write: (decided) => writeLink(wanted, decided, deps),
        conflicts: [LinkConflictError, AccountChangedError],
      },
      deps,
    );
  return { outcome: seen.outcome, seen, write };
}

async function decide(wanted: WantedLink, deps: LinkCustomerDeps) {
  const { merchant, partner, customer } = wanted;
  const offeredAt = deps.now().toISOString();
  const account = await proveAccount(wanted, deps);
  const offered = { organisationId: merchant.id, offer: { account, user: customer, partnershipUuid: null }, offeredAt };
  const evidence = await loadEvidence(offered, deps);
  if (evidence.partnerships.length === 0) {
    throw new UnusableAccountError(
      `${merchant.name} and ${partner.name} have no active partnership; partnership create or activate makes one`,
    );
  }
  try {
    const prepared = prepareLink(offered, evidence, deps);
    const { user } = prepared.link;
    const seen: LinkedCustomer = {
      outcome: outcomeOf(prepared.link),
      user: { id: user.id, uuid: user.uuid },
      merchantId: merchant.id,
      partnerId: partner.id,
    };
    return { prepared, seen };
  } catch (error) {
    if (!(error instanceof OfferRefusedError)) throw error;
    throw new UnusableAccountError(refusalText(offered, evidence));
  }
}

/**
 * Describes which member has the account already, and which member the customer is. An account belongs to one member,
 * and a member has one account in a program.
 */
function refusalText({ organisationId, offer: { account, user } }: OfferedLink, { known }: LinkEvidence): string {
  const { byAccount, byExternalId } = known;
  const blocked = [byAccount, byExternalId].find((member) => member && blockOf(member, account.partnerId));
  if (blocked) return `member ${blocked.user.id} is blocked, or the account is; member unblock ends the block`;
  const asCustomer = byAccount?.associations.find(({ merchantId }) => merchantId === organisationId)?.externalId;
  const holder = byAccount ? `belongs to member ${byAccount.user.id}` : 'has no member yet';
  const already = asCustomer === undefined ? '' : `, who is customer ${asCustomer}`;
  const other = byExternalId
    ? `, and customer ${user.externalId} is member ${byExternalId.user.id} with another account`
    : '';
  return `account ${account.externalId} ${holder}${already}${other}`;
}

/** Whether a link creates a customer of the merchant, changes one, or changes nothing. */
function outcomeOf({ association, membership, changed }: Link): RowOutcome {
  if (association) return 'created';
  const { set = {}, remove = [], adopted } = changed ?? {};
  const isChange =
    membership || adopted || remove.length > 0 || Object.keys(set).some((name) => name !== 'linkRevision');
  return isChange ? 'changed' : 'unchanged';
}

async function writeLink(
  { merchant, partner, customer, account }: WantedLink,
  { prepared, seen }: Awaited<ReturnType<typeof decide>>,
  deps: LinkCustomerDeps,
): Promise<LinkedCustomer> {
  if (seen.outcome === 'unchanged') return seen;
  const customerId = customer.externalId;
  const what = `linked account ${account} of ${subjectText(organisationSubject(partner))} to customer ${customerId} of ${subjectText(organisationSubject(merchant))}`;
  const after = {
    ...{ userId: seen.user.id, account, customer: customerId },
    openingPoints: prepared.link.membership?.availablePoints ?? null,
  };
  const extraWrites = await auditWrites(what, deps, { before: null, after });
  await deps.links.write({ ...prepared, extraWrites });
  return seen;
}

/** The account, as its program describes it. An operator needs no proof for an account that the platform stores. */
async function proveAccount(
  { partner, account: memberId, proof }: WantedLink,
  deps: LinkCustomerDeps,
): Promise<ProvenAccount> {
  const { account, membership } = await loadAccount(partner, memberId, deps);
  if (account?.closedAt !== undefined) throw refusalOf('closed', account);
  const isHosted = partner.program?.kind === 'hosted';
  if (proof !== undefined) {
    const proven = await deps.programs.of(partner.id, partner).verify({ memberId, proof }, account);
    if (proven) return proven;
    throw new UnusableAccountError(`${partner.name} does not know account ${memberId} by this proof`);
  }
  if (!isHosted) {
    throw new UnusableAccountError(
      `${partner.name} verifies its accounts itself: give the proof of account ${memberId}`,
    );
  }
  if (account) return toProvenAccount(account);
  // An account that was created together with its member exists only as a membership.
  if (membership) return { ...membership, email: null, points: membership.availablePoints };
  throw accountNotFound(partner, memberId);
}

/** A customer of a merchant, as a file has it. */
interface CustomerRow {
  /** The id that the merchant uses. */
  readonly customer: string;
  readonly firstName?: string | undefined;
  readonly lastName?: string | undefined;
  readonly email?: string | undefined;
  /** The number of the customer's account in the program. */
  readonly account?: string | undefined;
  readonly proof?: string | undefined;
}

/** Customers of a merchant to import. */
export interface CustomerImport {
  /** The merchant, by id or exact name. */
  readonly merchant: string;
  /** The partner of the accounts in the file, by id or exact name. */
  readonly program?: string | undefined;
  readonly rows: readonly ImportRow<CustomerRow>[];
  readonly isDryRun: boolean;
}

/**
 * Imports customers of a merchant. A row with an account links it, as {@link linkCustomer} does; the row needs no name,
 * because the program has the name of the account's holder. A row without an account makes a customer who may link an
 * account later.
 *
 * @throws NotFoundError, WrongOrganisationKindError
 * @throws ProgramUnavailableError when the partner's own program does not answer
 */
export async function importCustomers(
  { merchant: text, program, rows, isDryRun }: CustomerImport,
  deps: LinkCustomerDeps,
): Promise<ImportReport> {
  const merchant = await findOrganisationOfKind(text, 'MERCHANT', deps);
  const partner = program === undefined ? undefined : await findOrganisationOfKind(program, 'PARTNER', deps);
  const [checkCustomer, checkAccount] = [onlyOnce('customer'), onlyOnce('account')];
  return importRows(
    rows,
    async (row) => {
      checkCustomer(row.customer);
      if (row.account === undefined) return planCustomer(merchant, row, deps);
      checkAccount(row.account);
      if (!partner) throw new UnusableAccountError(`account ${row.account} is of a program: name its partner`);
      const customer = { externalId: row.customer, ...(row.email !== undefined && { email: row.email }) };
      return planLink({ merchant, partner, customer, account: row.account, proof: row.proof }, deps);
    },
    { isDryRun },
  );
}

async function planCustomer(merchant: Organisation, row: CustomerRow, deps: LinkCustomerDeps): Promise<PlannedRow> {
  const { customer: externalId, firstName = '', lastName = '', email = '' } = row;
  const known = await deps.members.findByExternalId(merchant.id, externalId);
  const names = { firstName, lastName, email };
  const write = () => createMember({ ...names, merchant: { id: merchant.id, externalId } }, deps);
  if (!known) return { outcome: 'created', write };
  const { user } = known;
  const differing = [
    ...(user.firstName === firstName ? [] : ['first name']),
    ...(user.lastName === lastName ? [] : ['last name']),
    ...(user.email.toLowerCase() === email.toLowerCase() ? [] : ['e-mail']),
  ];
  const subject: Subject = { kind: 'customer', id: externalId };
  if (differing.length > 0) throw new DifferentValuesError(subject, differing);
  return { outcome: 'unchanged', write };
}
