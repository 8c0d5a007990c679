import { maximumAttempts } from '../../contracts/limits.ts';
import { partitions } from '../../contracts/table.ts';
import type { AwardClaim, Reservation } from '../../domain/award/claim.ts';
import type { Decision } from '../../domain/campaign/evaluation/decision.ts';
import { plainError } from '../../domain/errors.ts';
import type { Finalization } from '../../domain/ledger/finalize.ts';
import type { RewardTransaction } from '../../domain/ledger/reward-transaction.ts';
import { type Movements, type OwingAccount, type Step, sumMovements } from '../../domain/ledger/sum-movements.ts';
import {
  claimItem,
  claimKey,
  keepingCampaigns,
  keepProgramWrites,
  leaveProgramWrites,
  parseClaim,
  spendWrite,
  tokenIsIssued,
} from '../award/claims.ts';
import { isBlockedAccount, isUsage } from '../member/members.ts';
import { carrying, outboxWrite, purchaseChangedWrite } from '../outbox/outbox.ts';
import {
  ConditionFailedError,
  ContentionError,
  concerning,
  isNew,
  Repository,
  type RequestContext,
  ThrottledError,
  type Write,
  type WriteContext,
} from '../table/table-client.ts';
import {
  changeWrite,
  claimEvents,
  claimTransitionWrites,
  eventOf,
  movementWrites,
  owesOtherPoints,
  reservationWrites,
  snapshots,
  transactions,
} from './transaction-writes.ts';

/** Write conflicts: another request changed data that a decision about rewards depends on. Nothing was written. */

/** The balance of the member does not cover the reservation. */
export class InsufficientPointsError extends plainError(
  'InsufficientPointsError',
  'the balance does not cover the reservation',
) {}

/** Other rewards of the member used, or may have used, a limit of the decision. The caller has to decide again. */
export class LimitConflictError extends plainError(
  'LimitConflictError',
  'other rewards of the member used a limit meanwhile',
) {}

/** Another request changed the award claim. */
export class ClaimConflictError extends Error {
  override readonly name = 'ClaimConflictError';
  /** The present claim; undefined when it was deleted. */
  readonly claim: AwardClaim | undefined;

  constructor(claim: AwardClaim | undefined) {
    super('another request changed the award claim');
    this.claim = claim;
  }
}

/** The purchase earns, or may earn, in another program. */
export class ProgramConflictError extends Error {
  override readonly name = 'ProgramConflictError';
  /** The campaigns of the other program under which the purchase has claims. */
  readonly campaignIds: readonly number[];

  constructor(campaignIds: readonly number[]) {
    super('the purchase has a token or an award in another program');
    this.campaignIds = campaignIds;
  }
}

/** Several events were to be awarded in one write. Some of them changed since they were read. Nothing was written. */
export class EventConflictError extends Error {
  override readonly name = 'EventConflictError';
  /** The positions of the changed events in the list. */
  readonly positions: readonly number[];

  constructor(positions: readonly number[]) {
    super('another request changed an award claim or the record of an event');
    this.positions = positions;
  }
}

/**
 * One of these changed since it was read: a transaction, its refunds, a block, or the balance that a reversal needs.
 * The caller has to decide again.
 */
export class TransactionConflictError extends Error {
  override readonly name = 'TransactionConflictError';

  constructor(options: ErrorOptions) {
    super('another request changed a transaction, its refunds, a block or the balance', options);
  }
}

/**
 * Reward transactions. One DynamoDB transaction writes the change of a reward transaction, the movements of points and
 * money that follow from it, and its events.
 */
export class Transactions extends Repository {
  async find(id: number): Promise<RewardTransaction | undefined> {
    const item = await this.table.get(transactions.key(id));
    return item && transactions.parse(item);
  }

  /** The transactions with these ids that exist, in no order. */
  async findAll(ids: readonly number[]): Promise<RewardTransaction[]> {
    if (ids.length === 0) return [];
    return (await this.table.getAll(ids.map((id) => transactions.key(id)))).map(transactions.parse);
  }

  /** Finds decisions by the `snapshotId` of their transactions. */
  async findSnapshots(snapshotIds: readonly number[]): Promise<Map<number, Decision>> {
    const ids = [...new Set(snapshotIds)];
    const found = await Promise.all(ids.map((id) => this.findSnapshot(id)));
    return new Map(ids.flatMap((id, position) => (found[position] ? [[id, found[position]] as const] : [])));
  }

  /**
   * Loads the other leg of a transfer.
   *
   * @returns the transaction, then its other leg if it has one. Both change together
   * @throws Error when the other leg is missing
   */
  async withOtherLeg(transaction: RewardTransaction): Promise<RewardTransaction[]> {
    if (transaction.otherLegId === undefined) return [transaction];
    const other = await this.find(transaction.otherLegId);
    if (!other) throw new Error(`the other leg of transaction ${transaction.id} is missing`);
    return [transaction, other];
  }

  /** Finds the decision behind a transaction by the transaction's `snapshotId`. */
  async findSnapshot(snapshotId: number): Promise<Decision | undefined> {
    const item = await this.table.get(snapshots.key(snapshotId));
    return item && snapshots.parse(item);
  }

  /**
   * Writes a token with its transactions, holds the points of a payment and charges limits.
   *
   * @throws ClaimConflictError when the award claim exists
   * @throws ProgramConflictError when the purchase earns, or may earn, in another program
   * @throws InsufficientPointsError when the balance does not cover the payment
   * @throws TransactionConflictError when the account of a payment was blocked meanwhile
   * @throws LimitConflictError when a limit has less left than the decision uses, or after contention
   */
  async reserve(reservation: Reservation, context: RequestContext): Promise<void> {
    const { claim } = reservation;
    const writes: Write[] = [
      { kind: 'put', item: claimItem(claim), when: isNew },
      ...reservationWrites(reservation, 'transaction_authenticated', context),
      ...keepProgramWrites([claim]),
      ...(context.replyWrites ?? []),
    ];
    await this.#reserve(writes, sumMovements(stepsOf('reserve', claim), context.now), maximumAttempts.tokenReservation);
  }

  /**
   * Replaces the token of a claim. The earlier token is cancelled, and its points and limits are released.
   *
   * @throws ClaimConflictError when the claim was changed since it was read
   * @throws ProgramConflictError when the purchase earns, or may earn, in another program
   * @throws TransactionConflictError when the member owes more or fewer points than the accounts of `earlier` show, or
   * the account of a payment was blocked meanwhile
   * @throws InsufficientPointsError when the balance does not cover the new payment
   * @throws LimitConflictError when a limit has less left than the decision uses, or after contention
   */
  async replace(
    { claim: earlier, accounts }: HoldingClaim,
    reservation: Reservation,
    context: RequestContext,
  ): Promise<void> {
    const { claim } = reservation;
    const steps = [...stepsOf('reserve', claim), ...stepsOf('cancel', earlier)];
    const writes: Write[] = [
      { kind: 'put', item: claimItem(claim), when: tokenIsIssued(earlier.authenticationId) },
      ...reservationWrites(reservation, 'transaction_authenticated', context),
      ...cancellationWrites(earlier, context),
      // If the earlier claim keeps the purchase in the program, the item for this exists already.
      ...(earlier.keepsProgram ? [] : keepProgramWrites([claim])),
      ...(context.replyWrites ?? []),
    ];
    await this.#reserve(writes, sumMovements(steps, context.now, accounts), maximumAttempts.tokenReservation);
  }

  /**
   * Spends the token of an award claim. The transactions of the claim become pending.
   *
   * @throws ClaimConflictError when the token is spent, replaced or expired
   */
  async create(claim: AwardClaim, context: RequestContext): Promise<void> {
    const writes: Write[] = [
      spendWrite(claim, context.now, carrying(claimEvents(claim, 'transaction_created', context))),
      ...claimTransitionWrites(claim, 'create', context),
      ...(context.replyWrites ?? []),
    ];
    await this.#writeClaim(writes, sumMovements(stepsOf('create', claim), context.now));
  }

  /**
   * Writes an award without a token. Its transactions are pending from the start. The same DynamoDB transaction writes
   * the order or trigger event that the award is given for.
   *
   * @throws ClaimConflictError when the award was given already
   * @throws ProgramConflictError when the purchase earns, or may earn, in another program
   * @throws ConditionFailedError when a condition of `basisWrites` does not hold
   * @throws LimitConflictError when a limit has less left than the decision uses, or after contention
   */
  async award(award: Reservation, basisWrites: readonly Write[], context: WriteContext): Promise<void> {
    const writes: Write[] = [
      { kind: 'put', item: claimItem(award.claim), when: isNew },
      ...reservationWrites(award, 'transaction_created', context),
      ...keepProgramWrites([award.claim]),
      ...basisWrites,
    ];
    const movements = sumMovements(stepsOf('award', award.claim), context.now);
    await this.#reserve(writes, movements, maximumAttempts.backgroundWrite);
  }

  /**
   * Writes the awards of several events of one member in one DynamoDB transaction, each like {@link award}. Charges of
   * the same limit are added up.
   *
   * @throws EventConflictError with the events whose award claim exists already, whose purchase earns or may earn in
   *   another program, or whose basis write failed
   * @throws LimitConflictError when a limit has less left than the decisions use, or after contention
   */
  async awardTogether(events: readonly EventAwards[], context: WriteContext): Promise<void> {
    const writesOf = ({ entityId, awards, basisWrites }: EventAwards): Write[] => [
      ...awards.flatMap((award): Write[] => [
        { kind: 'put', item: claimItem(award.claim), when: isNew },
        ...concerning(entityId, () => reservationWrites(award, 'transaction_created', context)),
      ]),
      ...keepProgramWrites(awards.map(({ claim }) => claim)),
      ...basisWrites,
    ];
    const writes = events.flatMap((event, position) => writesOf(event).map((write) => ({ position, write })));
    const steps = events.flatMap(({ awards }) => awards.flatMap(({ claim }) => stepsOf('award', claim)));
    try {
      await this.table.transact(
        [...writes.map(({ write }) => write), ...movementWrites(sumMovements(steps, context.now))],
        maximumAttempts.backgroundWrite,
      );
    } catch (error) {
      if (error instanceof ContentionError) throw new LimitConflictError();
      if (!(error instanceof ConditionFailedError)) throw error;
      const positions = new Set([...error.found.keys()].flatMap((failed) => writes[failed]?.position ?? []));
      throw positions.size > 0 ? new EventConflictError([...positions]) : new LimitConflictError();
    }
  }

  /**
   * Cancels an award claim whose token is not spent, and releases its points and limits. The external transaction may
   * then be reserved again.
   *
   * @throws ClaimConflictError when the token was spent or replaced meanwhile
   * @throws TransactionConflictError when the member owes more or fewer points than `accounts` show
   */
  async cancel({ claim, accounts }: HoldingClaim, context: WriteContext): Promise<void> {
    const writes: Write[] = [
      { kind: 'delete', key: claimKey(claim), when: tokenIsIssued(claim.authenticationId) },
      ...cancellationWrites(claim, context),
      ...leaveProgramWrites(claim),
      ...(context.auditWrites ?? []),
    ];
    await this.#writeClaim(writes, sumMovements(stepsOf('cancel', claim), context.now, accounts));
  }

  /**
   * Writes the final state of transactions, and announces the purchases that waited for it. One write does both, so a
   * refund that arrives at the same time is not lost.
   *
   * @throws TransactionConflictError when a transaction or its refunds changed since they were read, or when a reward
   * would arrive on a blocked account
   * @throws ContentionError when every attempt conflicts with other writes of the account; the caller may decide again
   */
  async finalize(finalization: Finalization, context: WriteContext): Promise<void> {
    const { changes, movements, announced, purchaseUuids } = finalization;
    const writes = [
      ...changes.map((change) => changeWrite(change, context.now)),
      ...movementWrites(
        movements,
        announced.map((transaction) => eventOf('transaction_status_updated', transaction, context)),
      ),
      ...purchaseUuids.map((uuid) => purchaseChangedWrite(uuid, context)),
      ...(context.auditWrites ?? []),
    ];
    try {
      await this.table.transact(writes, maximumAttempts.backgroundWrite);
    } catch (error) {
      // Changes of transactions are first in `writes`. Any other failed condition, except about owed points or a block,
      // is a defect of the code.
      const isConflict =
        error instanceof ConditionFailedError &&
        (changes.some((_, position) => error.found.has(position)) ||
          isAboutOtherDebt(error, movements) ||
          isAboutBlock(error));
      throw isConflict ? new TransactionConflictError({ cause: error }) : error;
    }
  }

  async #reserve(writes: readonly Write[], movements: Movements, attempts: number): Promise<void> {
    try {
      await this.#writeClaim(writes, movements, attempts);
    } catch (error) {
      if (error instanceof ContentionError && !(error instanceof ThrottledError)) throw new LimitConflictError();
      const found =
        error instanceof ConditionFailedError ? [...error.found.values()].filter((item) => item !== null) : [];
      const keeping = found.map(keepingCampaigns).find((campaignIds) => campaignIds !== undefined);
      if (keeping) throw new ProgramConflictError(keeping);
      if (found.some(isUsage)) throw new LimitConflictError();
      if (found.some(isBlockedAccount)) throw new TransactionConflictError({ cause: error });
      if (found.some(({ pk }) => pk.startsWith(partitions.user))) throw new InsufficientPointsError();
      throw error;
    }
  }

  /**
   * Writes a claim (the first write) and movements. If the condition of the claim fails, another request has changed
   * the claim.
   */
  async #writeClaim(writes: readonly Write[], movements: Movements, attempts?: number): Promise<void> {
    try {
      await this.table.transact([...writes, ...movementWrites(movements)], attempts);
    } catch (error) {
      if (!(error instanceof ConditionFailedError)) throw error;
      const found = error.found.get(0);
      if (found !== undefined) throw new ClaimConflictError(found === null ? undefined : parseClaim(found));
      throw isAboutOtherDebt(error, movements) ? new TransactionConflictError({ cause: error }) : error;
    }
  }
}

/** The awards of one event, and the writes of the order or trigger event that they are given for. */
export interface EventAwards {
  /** The id of the order or trigger event. */
  readonly entityId: string;
  readonly awards: readonly Reservation[];
  readonly basisWrites: readonly Write[];
}

/** A claim whose points come back when its token is cancelled. */
export interface HoldingClaim {
  readonly claim: AwardClaim;
  /** The accounts to which points return, as they were read. An absent account owes no points. */
  readonly accounts: readonly OwingAccount[];
}

const isAboutBlock = ({ found }: ConditionFailedError) =>
  [...found.values()].some((item) => item !== null && isBlockedAccount(item));

const isAboutOtherDebt = ({ found }: ConditionFailedError, movements: Movements) =>
  [...found.values()].some((item) => owesOtherPoints(item, movements));

/** Events are items of their own here: a claim that may be deleted or replaced carries no events. */
const cancellationWrites = (claim: AwardClaim, context: WriteContext): Write[] => [
  ...claimTransitionWrites(claim, 'cancel', context),
  ...claimEvents(claim, 'transaction_status_updated', context).map(outboxWrite),
];

/** The steps of a transition: one for each transaction of an award claim. */
const stepsOf = (transition: 'reserve' | 'award' | 'create' | 'cancel', claim: AwardClaim): Step[] =>
  claim.rewards.map((reward) => ({ transition, transaction: { ...claim, ...reward } }));
