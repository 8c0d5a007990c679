import { maximumCount, shardCount } from '../../contracts/limits.ts';
import { indexPartitions, partitions, tableIndexes } from '../../contracts/table.ts';
import { movementTable } from '../../domain/ledger/movement-table.ts';
import type { Posting } from '../../domain/ledger/posting.ts';
import { isReviewable, type Review, type RewardTransaction } from '../../domain/ledger/reward-transaction.ts';
import { isNotBlocked, membershipKey } from '../member/members.ts';
import { outboxWrite } from '../outbox/outbox.ts';
import {
  type Check,
  type Condition,
  ConditionFailedError,
  exists,
  type Item,
  Repository,
  requestIdOf,
  type Write,
  type WriteContext,
} from '../table/table-client.ts';
import { dueAttributes, eventOf, mayBecome, transactions } from './transaction-writes.ts';

/** A transaction, and the new state of its attempts. */
export interface PostingChange {
  readonly before: RewardTransaction;
  readonly posting: Posting;
}

/** A transaction in ERROR, and the new state of its attempts; a hosted program's leg has no attempts. */
export interface ResumedPosting {
  readonly before: RewardTransaction;
  readonly posting: Posting | undefined;
}

/** A transaction whose next attempt is due, and the program that it is posted to. */
export interface DuePosting {
  readonly transactionId: number;
  readonly partnerId: number;
}

/**
 * The attempts to post transactions to partners' own programs. A change is written only if no other worker has changed
 * the attempts since they were read. So only one worker at a time posts a transaction.
 */
export class Postings extends Repository {
  /**
   * Begins an attempt for transactions that are posted together.
   *
   * @returns false when another worker began an attempt, when the transactions are no longer pending, or when an
   * account is blocked before the first attempt to post its reward
   */
  begin(changes: readonly PostingChange[], context: WriteContext): Promise<boolean> {
    return this.#written([
      ...changes.map((change) => postingWrite(change, context.now)),
      ...changes.filter(({ before }) => !before.posting?.attempts).map(({ before }) => beginWrite(before)),
    ]);
  }

  /**
   * Records when the next attempt is due.
   *
   * @returns false when another worker changed the attempts meanwhile
   */
  record(changes: readonly PostingChange[], { now }: WriteContext): Promise<boolean> {
    return this.#written(changes.map((change) => postingWrite(change, now)));
  }

  /**
   * Makes the next attempt due now, and announces the attempt to the consumers.
   *
   * @returns false when another worker changed the attempts meanwhile
   */
  wake(change: PostingChange, context: WriteContext): Promise<boolean> {
    const { auditWrites = [] } = context;
    return this.#written([postingWrite(change, context.now), dueEventWrite(change.before, context), ...auditWrites]);
  }

  /**
   * Gives up transactions that had no answer in time: they become ERROR.
   *
   * @returns false when they were answered, or another worker changed the attempts meanwhile
   */
  suspend(legs: readonly RewardTransaction[], context: WriteContext): Promise<boolean> {
    return this.#written(legs.flatMap((leg) => suspendWrites(leg, context)));
  }

  /**
   * Lets transactions in ERROR be posted again, and announces this to the consumers.
   *
   * @returns false when they are no longer in ERROR
   */
  resume(changes: readonly ResumedPosting[], context: WriteContext): Promise<boolean> {
    const [first] = changes;
    return this.#written([
      ...changes.flatMap((change) => resumeWrites(change, context)),
      ...(first ? [dueEventWrite(first.before, context)] : []),
      ...(context.auditWrites ?? []),
    ]);
  }

  /**
   * Holds a reward for review, before its program has received it.
   *
   * @returns false when it is no longer pending, or another worker changed the attempts meanwhile
   */
  hold(before: RewardTransaction, review: Review, { now }: WriteContext): Promise<boolean> {
    const state = movementTable.review.to;
    const at = now.toISOString();
    return this.#written([
      {
        kind: 'update',
        key: transactions.key(before.id),
        changes: {
          set: { state, review, updatedAt: at, ...place(heldPartition(before.partnerId), at, before) },
          remove: ['posting', 'postingDueAt'],
        },
        when: [mayBecome(state), isUnchanged(before)],
      },
    ]);
  }

  /**
   * Lets a reward that was held go on to its program, and announces this to the consumers.
   *
   * @returns false when it is no longer held
   */
  release(before: RewardTransaction, review: Review, context: WriteContext): Promise<boolean> {
    const state = movementTable.admit.to;
    return this.#written([
      {
        kind: 'update',
        key: transactions.key(before.id),
        changes: { set: { state, review, updatedAt: context.now.toISOString() }, remove: dueAttributes },
        when: [{ attribute: 'state', is: '=', value: 'HELD' }],
      },
      dueEventWrite(before, context),
      ...(context.auditWrites ?? []),
    ]);
  }

  /** The ids of a program's rewards that are held for review, the oldest first; eventually consistent. */
  heldOf(partnerId: number): Promise<number[]> {
    return this.#idsIn(heldPartition(partnerId));
  }

  /**
   * Announces a pending transaction to the consumers again, because its first message may be lost.
   *
   * @returns false when it is no longer pending
   */
  announce(transaction: RewardTransaction, context: WriteContext): Promise<boolean> {
    return this.#written([
      { kind: 'check', key: transactions.key(transaction.id), when: [isPending] },
      dueEventWrite(transaction, context),
      ...(context.auditWrites ?? []),
    ]);
  }

  /**
   * Records that the program applied the settlement of a transaction.
   *
   * @returns false when this was recorded before
   */
  recordSettlement({ id, userId, partnerId }: RewardTransaction, { now }: WriteContext): Promise<boolean> {
    const at = now.toISOString();
    return this.#written([
      {
        kind: 'update',
        key: transactions.key(id),
        changes: { set: { settlementPostedAt: at, updatedAt: at } },
        when: [...exists, { attribute: 'settlementPostedAt', is: 'absent' }],
      },
      { kind: 'update', key: membershipKey(userId, partnerId), changes: { add: { postingsEnded: 1 } }, when: exists },
    ]);
  }

  /**
   * The transactions whose next attempt is due: from each shard the oldest ones, up to a maximum. Eventually
   * consistent.
   */
  async overdue(now: Date): Promise<DuePosting[]> {
    const shards = Array.from({ length: shardCount.duePostings }, (_, shard) =>
      this.table.query({
        index: 'due',
        partition: duePartition(shard),
        sortBetween: ['0', now.toISOString()],
        limit: maximumCount.sweptPostings,
      }),
    );
    return (await Promise.all(shards)).flat().map(duePostingOf);
  }

  /** Transactions that wait for an attempt, due or not; a bounded number from each shard. Eventually consistent. */
  async waiting(): Promise<(Pick<DuePosting, 'partnerId'> & { readonly uuid: string })[]> {
    const shards = Array.from({ length: shardCount.duePostings }, (_, shard) =>
      this.table.query({ index: 'due', partition: duePartition(shard), limit: maximumCount.measuredPostings }),
    );
    return (await Promise.all(shards)).flat().map((item) => {
      const [, , uuid = ''] = String(item[tableIndexes.due.sort]).split('#');
      return { partnerId: duePostingOf(item).partnerId, uuid };
    });
  }

  /** The ids of a program's transactions that wait for an attempt or an answer; eventually consistent. */
  async waitingOf(partnerId: number): Promise<number[]> {
    const shards = Array.from({ length: shardCount.duePostings }, (_, shard) =>
      this.table.query({ index: 'due', partition: duePartition(shard) }),
    );
    const found = (await Promise.all(shards)).flat().map(duePostingOf);
    return found.filter((one) => one.partnerId === partnerId).map(({ transactionId }) => transactionId);
  }

  /** The ids of a program's transactions in ERROR, the oldest first; eventually consistent. */
  suspendedOf(partnerId: number): Promise<number[]> {
    return this.#idsIn(suspendedPartition(partnerId));
  }

  async #idsIn(partition: string): Promise<number[]> {
    const items = await this.table.query({ index: 'due', partition });
    return items.map((item) => duePostingOf(item).transactionId);
  }

  async #written(writes: readonly (Write | Check)[]): Promise<boolean> {
    try {
      await this.table.transact(writes);
      return true;
    } catch (error) {
      if (error instanceof ConditionFailedError) return false;
      throw error;
    }
  }
}

const duePartition = (shard: number) => `${indexPartitions.due}POSTINGS#${shard}`;
const suspendedPartition = (partnerId: number) => `${indexPartitions.due}SUSPENDED#${partnerId}`;
const heldPartition = (partnerId: number) => `${indexPartitions.due}HELD#${partnerId}`;

/** The place of a transaction in the `due` index. Places sort by time, and each contains the program. */
const place = (partition: string, at: string, { partnerId, uuid }: RewardTransaction) => ({
  [tableIndexes.due.partition]: partition,
  [tableIndexes.due.sort]: `${at}#${partnerId}#${uuid}`,
});

function duePostingOf({ pk, [tableIndexes.due.sort]: sort }: Item): DuePosting {
  const [, partnerId = ''] = String(sort).split('#');
  return { transactionId: Number(pk.slice(partitions.transaction.length)), partnerId: Number(partnerId) };
}

/** The new attributes of a transaction that waits for an attempt. */
const waiting = ({ before, posting }: PostingChange, now: Date) => ({
  posting: { requestId: requestIdOf(before.uuid), ...posting },
  postingDueAt: posting.dueAt,
  updatedAt: now.toISOString(),
  ...place(duePartition(before.id % shardCount.duePostings), posting.dueAt, before),
});

/** The condition that no other worker changed the attempts since they were read. */
const isUnchanged = ({ posting }: RewardTransaction): Condition =>
  posting ? { attribute: 'postingDueAt', is: '=', value: posting.dueAt } : { attribute: 'postingDueAt', is: 'absent' };

const isPending: Condition = { attribute: 'state', is: '=', value: 'PENDING' };

function postingWrite(change: PostingChange, now: Date): Write {
  return {
    kind: 'update',
    key: transactions.key(change.before.id),
    changes: { set: waiting(change, now) },
    when: [isPending, isUnchanged(change.before)],
  };
}

/** The internal event that starts an attempt. */
function dueEventWrite({ uuid }: RewardTransaction, { now, nextUuid }: WriteContext): Write {
  return outboxWrite({ id: nextUuid(), name: 'posting_due', entityId: uuid, occurredAt: now.toISOString() });
}

/** Counts a transaction as posted. No reward is posted to a blocked account. */
function beginWrite(transaction: RewardTransaction): Write {
  const { userId, partnerId } = transaction;
  return {
    kind: 'update',
    key: membershipKey(userId, partnerId),
    changes: { add: { postingsBegun: 1 } },
    when: [...exists, ...(isReviewable(transaction) ? isNotBlocked : [])],
  };
}

function suspendWrites(leg: RewardTransaction, context: WriteContext): Write[] {
  const at = context.now.toISOString();
  const state = movementTable.suspend.to;
  return [
    {
      kind: 'update',
      key: transactions.key(leg.id),
      changes: {
        set: { state, updatedAt: at, ...place(suspendedPartition(leg.partnerId), at, leg) },
        remove: ['postingDueAt'],
      },
      when: [mayBecome(state), isUnchanged(leg)],
    },
    outboxWrite(eventOf('transaction_status_updated', leg, context)),
  ];
}

function resumeWrites({ before, posting }: ResumedPosting, context: WriteContext): Write[] {
  const state = movementTable.resume.to;
  const changes = posting
    ? { set: { state, ...waiting({ before, posting }, context.now) } }
    : { set: { state, updatedAt: context.now.toISOString() }, remove: dueAttributes };
  const when: Condition = { attribute: 'state', is: '=', value: 'ERROR' };
  return [
    { kind: 'update', key: transactions.key(before.id), changes, when: [when] },
    outboxWrite(eventOf('transaction_status_updated', before, context)),
  ];
}
