import { maximumCount } from '../../contracts/limits.ts';
import type { LedgerEntry } from '../../domain/ledger/ledger-entry.ts';
import { type Payout, unpaidCents } from '../../domain/ledger/payout.ts';
import {
  type ProgramMonth,
  programStatement,
  type SettlementMonth,
  type StatementRange,
  settlementStatement,
} from '../../domain/ledger/statement.ts';
import type { Membership } from '../../domain/member/member.ts';
import type { Organisation } from '../../domain/organisation.ts';
import type { Partnership } from '../../domain/partnership.ts';
import { type Mismatch, unequal } from '../../domain/reconciliation/invariants.ts';
import { findOrganisationOfKind, loadOrganisationNames } from '../organisation/find-organisation.ts';
import { findPartnership, type ManagePartnershipDeps } from '../partnership/manage-partnership.ts';
import type { LoadedBatch, PayCashbackDeps } from './pay-cashback.ts';

/** The accounts and entries of all members, from one reading of the table. */
export interface LedgerReading {
  readonly memberships: readonly Membership[];
  readonly entries: readonly LedgerEntry[];
}

/** The months that a statement covers. Without a range, all months. */
export type StatementMonths = Pick<StatementRange, 'from' | 'to'>;

/** The statement of a partner's program. */
export interface ProgramStatement {
  readonly partner: Organisation;
  readonly timeZone: string;
  readonly months: readonly ProgramMonth[];
  /** Differences between the ledger and the balances. Members who moved points during the reading can cause some. */
  readonly mismatches: readonly Mismatch[];
}

/**
 * Loads the statement of a program, given by its partner's id or exact name, and compares it with the balances.
 *
 * @param readLedger reads the whole table
 * @throws NotFoundError, WrongOrganisationKindError
 */
export async function loadProgramStatement(
  text: string,
  range: StatementRange,
  { readLedger, ...deps }: ManagePartnershipDeps & { readonly readLedger: () => Promise<LedgerReading> },
): Promise<ProgramStatement> {
  const partner = await findOrganisationOfKind(text, 'PARTNER', deps);
  const { memberships, entries } = await readLedger();
  const all = programStatement(entries, partner.id, { timeZone: range.timeZone });
  const accounts = memberships.filter(({ partnerId }) => partnerId === partner.id);
  const sum = (amount: (membership: Membership) => number) => accounts.reduce((total, one) => total + amount(one), 0);
  const cashback = all.reduce((cents, month) => cents + month.cashbackCents, 0);
  return {
    partner,
    timeZone: range.timeZone,
    months: programStatement(entries, partner.id, range),
    mismatches: unequal(`the program of organisation ${partner.id}`, null, {
      'outstanding points and balances': [
        all.at(-1)?.outstanding ?? 0,
        sum(({ availablePoints, heldPoints }) => availablePoints + heldPoints),
      ],
      'cashback and accounts (cents)': [cashback, sum(({ cashbackCents }) => cashbackCents)],
    }),
  };
}

/** The settlement between the sides of a partnership. */
export interface Settlement {
  readonly partnership: Partnership;
  readonly months: readonly SettlementMonth[];
  /** Differences between the ledger and the totals. Entries of the last seconds may not be in the totals yet. */
  readonly mismatches: readonly Mismatch[];
  readonly nameOf: (organisationId: number) => string;
}

/**
 * Loads the settlement of a partnership, given by UUID or exact name, in the months of its time zone, and compares it
 * with the partnership's totals.
 *
 * @throws NotFoundError
 */
export async function loadSettlement(
  text: string,
  range: StatementMonths & { readonly pointPriceMicros?: number | undefined },
  { readLedger, ...deps }: ManagePartnershipDeps & { readonly readLedger: () => Promise<LedgerReading> },
): Promise<Settlement> {
  const partnership = await findPartnership(text, deps);
  const { uuid, merchantId, partnerId, timeZone } = partnership;
  const { entries } = await readLedger();
  const all = settlementStatement(entries, uuid, { timeZone });
  const months = settlementStatement(entries, uuid, { ...range, timeZone });
  const totals = (await deps.campaigns.partnership(uuid))?.totals;
  const own = all.filter((month) => month.partnerId === partnerId);
  const sum = (rows: readonly SettlementMonth[], amount: (month: SettlementMonth) => number) =>
    rows.reduce((total, row) => total + amount(row), 0);
  return {
    partnership,
    months,
    mismatches: unequal(`partnership ${uuid}`, null, {
      'points issued and totals': [sum(own, ({ issuedPoints }) => issuedPoints), totals?.earnedPoints ?? 0],
      'points redeemed and totals': [sum(own, ({ redeemedPoints }) => redeemedPoints), totals?.redeemedPoints ?? 0],
      'cashback and totals (cents)': [sum(all, ({ cashbackCents }) => cashbackCents), totals?.cashbackCents ?? 0],
      'transactions and totals': [sum(all, ({ transactions }) => transactions), totals?.transactions ?? 0],
    }),
    nameOf: await loadOrganisationNames([merchantId, ...all.map((month) => month.partnerId)], deps),
  };
}

/** A payout with the person it goes to. */
export interface Payee extends Payout {
  /** The member's number in the program. */
  readonly externalId: string;
  readonly firstName: string;
  readonly lastName: string;
  /** The unpaid cashback of the member under the partnership at present. */
  readonly unpaidCents: number;
}

/** Loads the members of a batch, for its file and its report. */
export async function loadPayees(
  { batch, payouts }: LoadedBatch,
  { members, ledger }: Pick<PayCashbackDeps, 'members' | 'ledger'>,
): Promise<Payee[]> {
  const payees: Payee[] = [];
  for (let first = 0; first < payouts.length; first += maximumCount.importedTogether) {
    const some = payouts.slice(first, first + maximumCount.importedTogether);
    const loaded = await Promise.all(
      some.map(async (payout) => {
        const [account, entries] = await Promise.all([
          members.findMembership(payout.userId, payout.partnerId),
          ledger.entriesOf(payout.userId, payout.partnerId),
        ]);
        const { externalId = '', firstName = '', lastName = '' } = account ?? {};
        const unpaid = unpaidCents(entries, batch.partnershipUuid);
        return { ...payout, externalId, firstName, lastName, unpaidCents: unpaid };
      }),
    );
    payees.push(...loaded);
  }
  return payees;
}
