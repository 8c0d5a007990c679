import * as z from 'zod/mini';

/** The reasons why a reward event earned nothing. */
const awardRejections = ['no_running_campaign', 'user_not_customer', 'user_not_linked', 'nothing_earned'] as const;
export type AwardRejection = (typeof awardRejections)[number];

/**
 * The fields that orders and trigger events share: they are awarded after their arrival, list the transactions
 * of their awards, and are finalized when all awards are written.
 */
export const finalization = {
  /** Increases with every change, so that of two changes of the same state only one is written. */
  revision: z.int().check(z.gte(0)),
  /** The transactions of the awards. */
  transactionIds: z.array(z.int()),
  rejection: z.optional(z.enum(awardRejections)),
  updatedAt: z.string(),
};

/** A record that lists its awards. */
export interface Finalizable {
  readonly revision: number;
  readonly transactionIds: number[];
  readonly updatedAt: string;
}

/** The fields of a new record. */
export const pendingFinalization = (at: string): Finalizable => ({ revision: 0, transactionIds: [], updatedAt: at });

/** Adds transactions to a record. */
export function withTransactions<Thing extends Finalizable>(thing: Thing, ids: readonly number[], now: Date): Thing {
  return { ...thing, transactionIds: [...new Set([...thing.transactionIds, ...ids])], updatedAt: now.toISOString() };
}

/** The record after its change is written. */
export function afterChange<Thing extends Finalizable>(thing: Thing): Thing {
  return { ...thing, revision: thing.revision + 1 };
}

/** The changes that finalize a record whose awards are all written. Without any award it is rejected. */
export function finalized({ transactionIds }: Finalizable, rejection: AwardRejection, now: Date) {
  const updatedAt = now.toISOString();
  return transactionIds.length > 0
    ? ({ state: 'PROCESSED', updatedAt } as const)
    : ({ state: 'REJECTED', rejection, updatedAt } as const);
}
