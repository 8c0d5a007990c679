import type { Partition } from '../../../shared/contracts/table.ts';
import { AwardClaim } from '../../../shared/domain/award/claim.ts';
import { LedgerEntry } from '../../../shared/domain/ledger/ledger-entry.ts';
import { RewardTransaction } from '../../../shared/domain/ledger/reward-transaction.ts';
import { type LimitUsage, Membership } from '../../../shared/domain/member/member.ts';
import { isUsage, parseUsage } from '../../../shared/store/member/usage.ts';
import type { Item } from '../../../shared/store/table/items.ts';
import { partitionOf } from './scan.ts';

/** Everything of a table that has to fit together. */
export interface Books {
  readonly memberships: readonly Membership[];
  readonly transactions: readonly RewardTransaction[];
  readonly claims: readonly AwardClaim[];
  readonly entries: readonly LedgerEntry[];
  /** What members used of limits. */
  readonly usage: readonly LimitUsage[];
}

/** Where the books lie. */
export const bookPartitions: readonly Partition[] = ['user', 'transaction', 'claim', 'ledger'];

/** Books that are filled item by item, so that a table does not have to be held twice. */
export class BookKeeper implements Books {
  readonly memberships: Membership[] = [];
  readonly transactions: RewardTransaction[] = [];
  readonly claims: AwardClaim[] = [];
  readonly entries: LedgerEntry[] = [];
  readonly usage: LimitUsage[] = [];

  /** Enters an item; one that the books have no place for is passed over. */
  enter(item: Item): void {
    switch (partitionOf(item)) {
      case 'user':
        if (item.sk.startsWith('PROGRAM#')) this.memberships.push(Membership.parse(item));
        if (isUsage(item)) this.usage.push(parseUsage(item));
        break;
      case 'transaction':
        if (item.sk === 'TRANSACTION') this.transactions.push(RewardTransaction.parse(item));
        break;
      case 'claim':
        this.claims.push(AwardClaim.parse(item));
        break;
      case 'ledger':
        this.entries.push(LedgerEntry.parse(item));
        break;
    }
  }
}
