import * as z from 'zod/mini';

/** Why something that happened earned nothing. */
const awardRejections = ['no_running_campaign', 'user_not_customer', 'user_not_linked', 'nothing_earned'] as const;
export type AwardRejection = (typeof awardRejections)[number];

/**
 * What everything that is rewarded after it came has in common (orders, trigger events): it remembers
 * what it was rewarded with, and in the end whether that was anything.
 */
export const finalization = {
  /** Counts up with every change: of two that began from the same state only one is written. */
  revision: z.int().check(z.gte(0)),
  /** What it was rewarded with. */
  transactionIds: z.array(z.int()),
  rejection: z.optional(z.enum(awardRejections)),
  updatedAt: z.string(),
};

/** Something that remembers what it was rewarded with. */
export interface Finalizable {
  readonly revision: number;
  readonly transactionIds: number[];
  readonly updatedAt: string;
}

/** How such a thing begins. */
export const pendingFinalization = (at: string): Finalizable => ({ revision: 0, transactionIds: [], updatedAt: at });

/** The thing with more of what it was rewarded with. */
export function withTransactions<Thing extends Finalizable>(thing: Thing, ids: readonly number[], now: Date): Thing {
  return { ...thing, transactionIds: [...new Set([...thing.transactionIds, ...ids])], updatedAt: now.toISOString() };
}

/** The thing once its change is written. */
export function afterChange<Thing extends Finalizable>(thing: Thing): Thing {
  return { ...thing, revision: thing.revision + 1 };
}

/** What becomes of a thing when everything that it earns is written: it is rejected when that is nothing. */
export function finalized({ transactionIds }: Finalizable, rejection: AwardRejection, now: Date) {
  const updatedAt = now.toISOString();
  return transactionIds.length > 0
    ? ({ state: 'PROCESSED', updatedAt } as const)
    : ({ state: 'REJECTED', rejection, updatedAt } as const);
}
