import * as z from 'zod/mini';

/** The reasons why a reward event earns nothing. */
const decisionRejections = [
  'no_running_campaign',
  'user_not_customer',
  'user_not_linked',
  'no_default_program',
  'nothing_earned',
] as const;
/** The reasons of decisions about campaigns. */
export type DecisionRejection = (typeof decisionRejections)[number];

const awardRejections = [
  ...decisionRejections,
  /** The friend of a referral has no account in the program, or is the referring member. */
  'friend_not_member',
  /** An earlier event rewarded the referral of the same friend. */
  'referral_rewarded_before',
] as const;
export type AwardRejection = (typeof awardRejections)[number];

/** The fields shared by orders and trigger events: the progress and the outcome of their awards. */
export const finalization = {
  /** Increases with every change. If two changes start from the same revision, only one of them is written. */
  revision: z.int().check(z.gte(0)),
  /** The transactions of the awards that are written so far. */
  transactionIds: z.array(z.int()),
  rejection: z.optional(z.enum(awardRejections)),
  updatedAt: z.string(),
};

/** An order or trigger event that records its awards. */
export interface Finalizable {
  readonly revision: number;
  readonly transactionIds: number[];
  readonly updatedAt: string;
}

/** The fields of a new record, which has no awards yet. */
export const pendingFinalization = (at: string): Finalizable => ({ revision: 0, transactionIds: [], updatedAt: at });

/** Adds transactions to a record. */
export function withTransactions<Item extends Finalizable>(record: Item, ids: readonly number[], now: Date): Item {
  return { ...record, transactionIds: [...new Set([...record.transactionIds, ...ids])], updatedAt: now.toISOString() };
}

/** The record with its next revision, as a successful write leaves it. */
export function withNextRevision<Item extends Finalizable>(record: Item): Item {
  return { ...record, revision: record.revision + 1 };
}

/** The final state once every award is written: PROCESSED, or REJECTED if there are none. */
export function finalized({ transactionIds }: Finalizable, rejection: AwardRejection, now: Date) {
  const updatedAt = now.toISOString();
  return transactionIds.length > 0
    ? ({ state: 'PROCESSED', updatedAt } as const)
    : ({ state: 'REJECTED', rejection, updatedAt } as const);
}
