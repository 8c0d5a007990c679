import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import type { Defect } from './faults.ts';

/** The books of the program: its accounts, its transactions, and every movement of points. */

/** An account with the program. */
export interface Account {
  readonly member_id: string;
  readonly proof: string;
  readonly first_name: string;
  readonly last_name: string;
  readonly email: string | null;
  readonly status_tier_id: number | null;
  balance: number;
}

/** A transaction as the platform posts it: the fields that the program reads. */
export interface Posting {
  readonly transaction_uuid: string;
  readonly type: string;
  readonly member_id: string;
  readonly points_change: number;
  readonly [field: string]: unknown;
}

type Status = 'confirmed' | 'rejected' | 'accepted' | 'cancelled';

/** A transaction in the books, with the program's answer. */
export interface Entry {
  /** Null for a transaction that was cancelled before it arrived. */
  readonly posting: Posting | null;
  status: Status;
  readonly reference?: string;
  reason?: string;
}

/** One movement of points. An account's balance is its opening balance plus the sum of its movements. */
export interface Movement {
  readonly member_id: string;
  readonly points: number;
  /** Null for points that moved at the program itself, without the platform. */
  readonly transaction_uuid: string | null;
  readonly cause: 'posted' | 'cancelled' | 'own';
}

/** An answer about a transaction, in the form of the contract. */
export interface Answer {
  readonly transaction_uuid: string;
  readonly status: Status | 'not_found';
  readonly reference?: string;
  readonly reason?: string;
  readonly balance?: number;
}

interface Content {
  readonly accounts: Record<string, Account>;
  readonly transactions: Record<string, Entry>;
  readonly movements: Movement[];
}

/** The books already contain a transaction with this UUID and other content. */
export class ConflictError extends Error {
  override readonly name = 'ConflictError';
}

const isReversal = (type: string): boolean => type.endsWith('_reversal') || type === 'settlement';

/**
 * The books in memory, and in a file if there is one. Node runs each method without interruption, so a method has the
 * effect of a database transaction.
 */
export class Books {
  readonly #file: string | undefined;
  readonly #has: (defect: Defect) => boolean;
  #content: Content = { accounts: {}, transactions: {}, movements: [] };

  /** @param file keeps the books for the next start */
  constructor(file: string | undefined, has: (defect: Defect) => boolean) {
    this.#file = file;
    this.#has = has;
    if (file !== undefined) this.#content = readContent(file) ?? this.#content;
  }

  get content(): Content {
    return this.#content;
  }

  account(memberId: string): Account | undefined {
    return this.#content.accounts[memberId];
  }

  /** Opens accounts. An account that exists stays as it is. */
  open(accounts: readonly Account[]): void {
    for (const account of accounts) this.#content.accounts[account.member_id] ??= { ...account };
    this.#save();
  }

  /**
   * Applies a transaction once.
   *
   * @param settings `isLater`: only stores the transaction; its answer comes later. `reason`: rejects the transaction
   * @throws ConflictError when the books already contain the transaction with other content
   */
  post(posting: Posting, settings: { readonly isLater?: boolean; readonly reason?: string } = {}): Answer {
    const uuid = posting.transaction_uuid;
    const known = this.#isForgotten(uuid) ? undefined : this.#content.transactions[uuid];
    const isOther = known?.posting && !isSame(known.posting, posting);
    if (isOther && !this.#has('takes_other_content_for_a_known_transaction')) {
      throw new ConflictError(`transaction ${uuid} was posted with another content`);
    }
    if (!known) this.#decide(posting, settings);
    return this.query(uuid);
  }

  /** Whether a defect makes the books treat a known transaction as a new one. */
  #isForgotten(uuid: string): boolean {
    const status = this.#content.transactions[uuid]?.status;
    return (
      this.#has('applies_repeated_transactions_again') ||
      (status === 'rejected' && this.#has('answers_a_repeated_rejection_with_a_confirmation')) ||
      (status === 'cancelled' && this.#has('applies_transactions_after_their_cancellation'))
    );
  }

  #decide(posting: Posting, { isLater = false, reason = this.#objection(posting) }): void {
    const uuid = posting.transaction_uuid;
    if (reason !== undefined) this.#content.transactions[uuid] = { posting, status: 'rejected', reason };
    else if (isLater) this.#content.transactions[uuid] = { posting, status: 'accepted' };
    else this.#confirm(posting);
    this.#save();
  }

  /** Why the program rejects a transaction. */
  #objection({ member_id, points_change, type }: Posting): string | undefined {
    const account = this.account(member_id);
    if (!account) return 'there is no such account';
    const isCovered = account.balance + points_change >= 0 || points_change >= 0 || this.#has('overdraws');
    const isFree = isReversal(type) && !this.#has('refuses_reversals_below_zero');
    return isCovered || isFree ? undefined : 'the balance does not cover it';
  }

  #confirm(posting: Posting): void {
    const { transaction_uuid: uuid, member_id, points_change: points } = posting;
    const reference = `D-${String(Object.keys(this.#content.transactions).length + 1).padStart(6, '0')}`;
    this.#content.transactions[uuid] = { posting, status: 'confirmed', reference };
    this.#move({ member_id, points, transaction_uuid: uuid, cause: 'posted' });
  }

  /** Answers an accepted transaction. Does nothing when the transaction has an answer already. */
  answer(uuid: string, status: 'confirmed' | 'rejected', reason = 'rejected by hand'): void {
    const known = this.#content.transactions[uuid];
    if (known?.status !== 'accepted' || !known.posting) return;
    const objection = status === 'rejected' ? reason : this.#objection(known.posting);
    if (objection === undefined) this.#confirm(known.posting);
    else Object.assign(known, { status: 'rejected', reason: objection });
    this.#save();
  }

  query(uuid: string): Answer {
    const known = this.#content.transactions[uuid];
    if (!known && this.#has('stores_queried_transactions')) {
      this.#content.transactions[uuid] = { posting: null, status: 'accepted' };
    }
    if (!known) return { transaction_uuid: uuid, status: 'not_found' };
    const { status, reference, reason, posting } = known;
    const balance = status === 'confirmed' && posting ? this.account(posting.member_id)?.balance : undefined;
    return {
      transaction_uuid: uuid,
      status,
      ...(reference !== undefined && { reference }),
      ...(reason !== undefined && { reason }),
      ...(balance !== undefined && { balance }),
    };
  }

  /** Cancels a transaction, even one that has not arrived yet. Points that it had moved are moved back. */
  cancel(uuid: string): void {
    if (this.#has('ignores_cancellations')) return;
    const known = this.#content.transactions[uuid];
    const isMoved = known?.status === 'confirmed' || (known?.status === 'cancelled' && this.#has('cancels_twice'));
    if (isMoved && known?.posting) {
      const { member_id, points_change } = known.posting;
      this.#move({ member_id, points: -points_change, transaction_uuid: uuid, cause: 'cancelled' });
    }
    this.#content.transactions[uuid] = { posting: known?.posting ?? null, status: 'cancelled' };
    this.#save();
  }

  /** Moves points at the program itself, as when a member books a flight on the program's own pages. */
  moveOwn(memberId: string, points: number): void {
    this.#move({ member_id: memberId, points, transaction_uuid: null, cause: 'own' });
    this.#save();
  }

  /** Loses a transaction with its movements, like a database that was restored from a backup. */
  forget(uuid: string): void {
    const { accounts, transactions, movements } = this.#content;
    const kept = movements.filter((movement) => movement.transaction_uuid !== uuid);
    for (const { member_id, points } of movements.filter((movement) => movement.transaction_uuid === uuid)) {
      const account = accounts[member_id];
      if (account) account.balance -= points;
    }
    movements.splice(0, movements.length, ...kept);
    delete transactions[uuid];
    this.#save();
  }

  #move(movement: Movement): void {
    const account = this.account(movement.member_id);
    if (!account) return;
    account.balance += movement.points;
    this.#content.movements.push(movement);
  }

  /** Writes the file in one step, so a kill leaves either the old books or the new books. */
  #save(): void {
    if (this.#file === undefined) return;
    writeFileSync(`${this.#file}.new`, JSON.stringify(this.#content));
    renameSync(`${this.#file}.new`, this.#file);
  }
}

const isSame = (one: Posting, other: Posting): boolean => textOf(one) === textOf(other);

/** Writes the fields in the order of their names, so that equal postings give equal texts. */
const textOf = (posting: Posting): string =>
  JSON.stringify(Object.entries(posting).sort(([one], [other]) => (one < other ? -1 : 1)));

function readContent(file: string): Content | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
