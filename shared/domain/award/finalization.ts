import * as z from 'zod/mini';
import type { Decision } from '../campaign/evaluation/decision.ts';
import { type AwardClaim, isEarning, rewardIdsOf } from './claim.ts';

/** The reasons why an evaluated campaign gives no reward. */
const decisionReasons = {
  limit_reached: 'The member has used up a limit of the campaign',
  above_maximum: 'The redemption or transfer is larger than a maximum of the campaign',
  no_multiple: 'The points are not a multiple of the increment of the campaign',
  below_minimum: 'The purchase does not reach a minimum of the campaign',
  worth_nothing: 'The reward is less than one point or cent',
  no_amount: 'The context of the event has no usable amount',
  no_matching_item: 'No item of the purchase fulfils the conditions on items',
  not_qualified: 'A condition of the campaign does not hold',
  other_trigger: 'No campaign rewards this kind of event',
  points_out_of_range: 'The reward is more points than one purchase can have',
  campaign_not_running: 'The campaign does not run at that time',
  partnership_not_active: 'The partnership is not active',
} as const;

/** The reasons why an order, a payment or a trigger event earns nothing, each in a sentence. */
export const awardRejections = {
  no_running_campaign: 'No running campaign of the merchant matches',
  user_not_customer: 'The member is no customer of the merchant',
  user_not_linked: 'The member has no account in a program of the campaigns',
  member_blocked: 'The member, or the account in the program, is blocked',
  no_default_program: 'The member has several programs at the merchant, and has chosen none of them',
  friend_not_member: 'The friend has no account in the program, or is the referring member',
  referral_rewarded_before: 'An earlier event rewarded the referral of the same friend',
  paid_with_points: 'Points have paid the whole purchase, and what points pay earns nothing',
  ...decisionReasons,
  nothing_earned: 'No campaign gives a reward',
} as const;
export type AwardRejection = keyof typeof awardRejections;

const namesOf = <Name extends string>(reasons: Readonly<Record<Name, string>>) =>
  Object.keys(reasons) as [Name, ...Name[]];

/**
 * The reason why decisions reward nothing. If there are several reasons, the first in the order of
 * {@link decisionReasons} counts: it belongs to the flow or campaign that came closest to a reward.
 */
export function reasonOfDecisions(decisions: readonly Decision[]): AwardRejection {
  const found = new Set<string>(
    decisions.flatMap(({ refused, flows }) => [
      ...(refused === null ? [] : [refused]),
      ...flows.map(({ result }) => result.toLowerCase()),
    ]),
  );
  return namesOf(decisionReasons).find((reason) => found.has(reason)) ?? 'nothing_earned';
}

/** The fields shared by orders and trigger events: the progress and the outcome of their awards. */
export const finalization = {
  /** Increases with every change. If two changes start from the same revision, only one of them is written. */
  revision: z.int().check(z.gte(0)),
  /** The transactions of the awards that are written so far. */
  transactionIds: z.array(z.int()),
  /** The program in which a purchase earned; absent for other events, and before the first award. */
  programId: z.optional(z.int()),
  /** Why the event earned nothing. */
  rejection: z.optional(z.enum(namesOf(awardRejections))),
  updatedAt: z.string(),
};

/** An order or trigger event that records its awards. */
export interface Finalizable {
  readonly revision: number;
  readonly transactionIds: number[];
  readonly programId?: number | undefined;
  readonly updatedAt: string;
}

/** The fields of a new record, which has no awards yet. */
export const pendingFinalization = (at: string): Finalizable => ({ revision: 0, transactionIds: [], updatedAt: at });

/**
 * Adds the transactions of a claim to a record. If the claim rewards a purchase, also sets the program in which the
 * purchase earned.
 */
export function withTransactions<Item extends Finalizable>(
  record: Item,
  claim: Pick<AwardClaim, 'kind' | 'partnerId' | 'rewards'>,
  now: Date,
): Item {
  return {
    ...record,
    transactionIds: [...new Set([...record.transactionIds, ...rewardIdsOf(claim)])],
    ...(isEarning(claim) && { programId: claim.partnerId }),
    updatedAt: now.toISOString(),
  };
}

/** The record with its next revision, as a successful write stores it. */
export function withNextRevision<Item extends Finalizable>(record: Item): Item {
  return { ...record, revision: record.revision + 1 };
}

/** The final state of a record when all its awards are written: PROCESSED with awards, REJECTED without awards. */
export function finalized({ transactionIds }: Finalizable, rejection: AwardRejection, now: Date) {
  const updatedAt = now.toISOString();
  return transactionIds.length > 0
    ? ({ state: 'PROCESSED', updatedAt } as const)
    : ({ state: 'REJECTED', rejection, updatedAt } as const);
}
