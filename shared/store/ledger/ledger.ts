import { createHash } from 'node:crypto';
import type { BusEvent } from '../../contracts/events.ts';
import { partitions } from '../../contracts/table.ts';
import type { TransactionIds } from '../../domain/award/claim.ts';
import { LedgerEntry } from '../../domain/ledger/ledger-entry.ts';
import type { RewardTransaction } from '../../domain/ledger/reward-transaction.ts';
import type { Membership } from '../../domain/member/member.ts';
import { membershipKey } from '../member/members.ts';
import { carrying } from '../outbox/outbox.ts';
import {
  type Check,
  ConditionFailedError,
  defineEntity,
  isNew,
  isStill,
  Repository,
  type Write,
} from '../table/table-client.ts';

const partition = (userId: number, partnerId: number) => `${partitions.ledger}${userId}#${partnerId}`;

/** Entries sort by time, because the UUIDs of transactions do. */
const entries = defineEntity(
  LedgerEntry,
  (entry: Pick<LedgerEntry, 'userId' | 'partnerId' | 'transactionUuid' | 'kind'>) => ({
    pk: partition(entry.userId, entry.partnerId),
    sk: `${entry.transactionUuid}#${entry.kind}`,
  }),
);

/** Parses an entry from an item of the table or of its stream. */
export const parseLedgerEntry = entries.parse;

/**
 * The UUID of a transaction's settlement, for its event and for the partner's own program. Always the same for one
 * transaction, and unique (RFC 9562, version 8).
 */
export function settlementUuidOf(transactionUuid: string): string {
  const hex = createHash('sha256').update(`${transactionUuid}#SETTLEMENT`).digest('hex');
  const variant = ((Number.parseInt(hex.charAt(16), 16) & 0x3) | 0x8).toString(16);
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `${variant}${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-');
}

/** The name of an entry, unique in the ledger. */
export function ledgerEntryName(entry: LedgerEntry): string {
  const { pk, sk } = entries.key(entry);
  return `${pk.slice(partitions.ledger.length)}#${sk}`;
}

/**
 * The write of an entry. The key contains the transaction and the kind of the entry, so no entry is written twice.
 *
 * @param events events about the entry's transaction; the entry carries them
 */
export function ledgerWrite(entry: LedgerEntry, events: readonly BusEvent[] = []): Write {
  const carried = [...events, ...settlementEvents(entry)];
  return { kind: 'put', item: entries.item(entries.key(entry), entry, carrying(carried)), when: isNew };
}

/** The internal event that brings a settlement to a partner's own program. */
function settlementEvents({ kind, transactionUuid, createdAt }: LedgerEntry): BusEvent[] {
  if (kind !== 'SETTLEMENT') return [];
  const id = settlementUuidOf(transactionUuid);
  return [{ id, name: 'settlement_written', entityId: transactionUuid, occurredAt: createdAt }];
}

/** A change of an account's balance that happened outside the platform. */
export interface Adjustment {
  /** The account as it was read for the decision to adjust it. */
  readonly membership: Membership;
  /** The points to add; below zero, the points to take. */
  readonly points: number;
  /** The ids under which the entry is written. */
  readonly ids: TransactionIds;
}

/** The ledgers of members, one for each program. */
export class Ledger extends Repository {
  /** Finds all entries of a member in one program, the oldest first. */
  async entriesOf(userId: number, partnerId: number): Promise<LedgerEntry[]> {
    return (await this.table.query({ partition: partition(userId, partnerId) })).map(entries.parse);
  }

  /** Finds the entries of one transaction, in the ledger of its member. */
  async entriesAbout({ userId, partnerId, uuid }: RewardTransaction): Promise<LedgerEntry[]> {
    const range = { partition: partition(userId, partnerId), sortBeginsWith: `${uuid}#` };
    return (await this.table.query(range)).map(entries.parse);
  }

  /**
   * Finds the settlement of a transaction: points that the transaction returned to the member, and that settled a debt
   * of the member.
   */
  async findSettlement({
    userId,
    partnerId,
    uuid: transactionUuid,
  }: Pick<RewardTransaction, 'userId' | 'partnerId' | 'uuid'>): Promise<LedgerEntry | undefined> {
    const item = await this.table.get(entries.key({ userId, partnerId, transactionUuid, kind: 'SETTLEMENT' }));
    return item && entries.parse(item);
  }

  /**
   * Adjusts the balance of an account with an entry in its ledger.
   *
   * @returns false when the account changed meanwhile, or a transaction was posted or answered meanwhile
   */
  async adjust(adjustment: Adjustment, now: Date): Promise<boolean> {
    try {
      await this.table.transact(adjustmentWrites(adjustment, now));
      return true;
    } catch (error) {
      if (error instanceof ConditionFailedError) return false;
      throw error;
    }
  }
}

/**
 * The writes of an adjustment: the new balance and its entry. Their condition is that the account is as it was read,
 * and that no transaction was posted or answered meanwhile.
 */
export function adjustmentWrites({ membership, points, ids }: Adjustment, now: Date): Write[] {
  const { userId, partnerId } = membership;
  const entry = ledgerWrite({
    ...{ userId, partnerId, campaign: null, transactionId: ids.id, transactionUuid: ids.uuid },
    ...{ kind: 'ADJUSTMENT', points, cashbackCents: 0, createdAt: now.toISOString() },
  });
  const account: Write = {
    kind: 'update',
    key: membershipKey(userId, partnerId),
    changes: { add: { availablePoints: points } },
    when: isUnchanged(membership),
  };
  return [account, entry];
}

/** The check that the points of an account are as they were read, for a decision that does not move them. */
export const unchangedCheck = (membership: Membership): Check => ({
  kind: 'check',
  key: membershipKey(membership.userId, membership.partnerId),
  when: isUnchanged(membership),
});

const isUnchanged = ({ availablePoints, heldPoints, postingsBegun, postingsEnded }: Membership) =>
  [
    { attribute: 'availablePoints', is: '=', value: availablePoints },
    { attribute: 'heldPoints', is: '=', value: heldPoints },
    isStill('postingsBegun', postingsBegun),
    isStill('postingsEnded', postingsEnded),
  ] as const;
