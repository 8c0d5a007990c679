import type { LedgerEntry } from '../../../shared/domain/ledger/ledger-entry.ts';
import type { Membership } from '../../../shared/domain/member/member.ts';
import { count, dollars, moment, paragraphs, table } from '../cli/text.ts';

/** All movements of a member's points in one program, for scripts. */
export interface LedgerAccount {
  readonly partnerId: number;
  /** What the member's account says. */
  readonly balance: number;
  readonly entries: readonly {
    readonly at: string;
    readonly kind: LedgerEntry['kind'];
    readonly points: number;
    readonly cashbackCents: number;
    /** After this entry. */
    readonly balance: number;
    readonly campaignId: number | null;
    /** Null for an opening balance. */
    readonly transactionId: number | null;
    readonly transactionUuid: string | null;
  }[];
}

/** The entries of an account in the order in which they came, with the balance after each. */
export function accountOf(membership: Membership, entries: readonly LedgerEntry[]): LedgerAccount {
  let balance = 0;
  const inOrder = entries.toSorted((one, other) => one.createdAt.localeCompare(other.createdAt));
  return {
    partnerId: membership.partnerId,
    balance: membership.availablePoints + membership.heldPoints,
    entries: inOrder.map(({ createdAt: at, kind, points, cashbackCents, campaign, transactionId, transactionUuid }) => {
      balance += points;
      const isOpening = kind === 'OPENING';
      return {
        ...{ at, kind, points, cashbackCents, balance, campaignId: campaign?.id ?? null },
        transactionId: isOpening ? null : transactionId,
        transactionUuid: isOpening ? null : transactionUuid,
      };
    }),
  };
}

/** The same for people. It says so when the entries do not add up to the balance. */
export function accountTable({ balance, entries }: LedgerAccount): string {
  const sum = entries.at(-1)?.balance ?? 0;
  const rows = entries.map((one) => [
    moment(one.at),
    one.kind,
    one.points > 0 ? `+${count(one.points)}` : count(one.points),
    count(one.balance),
    one.cashbackCents === 0 ? null : dollars(one.cashbackCents),
    one.campaignId,
    one.transactionId,
  ]);
  const movements =
    rows.length > 0
      ? table(['when', 'what', 'points', 'balance', 'cashback', 'campaign', 'transaction'], rows)
      : 'no entries';
  if (sum === balance) return movements;
  return paragraphs(movements, `The account says ${count(balance)}, the ledger ${count(sum)}: see reconcile.`);
}
