import * as z from 'zod/mini';
import { maximumBytes } from '../../contracts/limits.ts';
import { byteLength } from '../byte-length.ts';
import { ConditionOutcome, type Decision, flowResults, LimitOutcome } from '../campaign/evaluation/decision.ts';
import { Cents, Points } from '../money.ts';
import { awardRejections } from './finalization.ts';

/** Refused requests of endpoint 1: the reasons, and the record that is kept of each request. */

/** The reasons why endpoint 1 refuses a purchase, each in a sentence. */
export const refusalReasons = {
  ...awardRejections,
  user_does_not_exist: 'The member of the token does not exist',
  several_campaigns: 'Several campaigns are running: name campaign_id',
  transaction_already_exists: 'The external transaction has a reward, or another member has a token for it',
  program_not_available: 'The merchant has no active partnership with a program of the transfer',
  insufficient_points: 'The balance of the member is smaller than the cost',
} as const;
export type RefusalReason = keyof typeof refusalReasons;

/** The names of the reasons, for schemas. */
export const refusalReasonNames = Object.keys(refusalReasons) as [RefusalReason, ...RefusalReason[]];

/** The statuses of the specification for refusals. They are outcomes, not errors. */
export type AuthenticationRefusal = 'INSUFFICIENT_REWARDS_AMOUNT' | 'MEMBER_NOT_EXISTS' | 'ERROR';

/** The status with which endpoint 1 replies when it refuses a purchase for this reason. */
export function statusOfRefusal(reason: RefusalReason): AuthenticationRefusal {
  switch (reason) {
    case 'insufficient_points':
      return 'INSUFFICIENT_REWARDS_AMOUNT';
    case 'user_does_not_exist':
    case 'user_not_linked':
    case 'member_blocked':
    case 'no_default_program':
      return 'MEMBER_NOT_EXISTS';
    default:
      return 'ERROR';
  }
}

/**
 * A condition that did not hold. The actual value is stored only if it is a number: places and attributes of a member
 * are personal data.
 */
const FailedCondition = z.object({
  ...z.pick(ConditionOutcome, { conditionId: true, attribute: true, name: true, operator: true, needed: true }).shape,
  actual: z.optional(z.number()),
});

/** A flow of a refused purchase: its result, with the conditions and limits that prevented the reward. */
const RefusedFlow = z.object({
  flowId: z.int(),
  result: z.enum(flowResults),
  conditions: z.array(FailedCondition),
  limits: z.array(LimitOutcome),
});
type RefusedFlow = z.infer<typeof RefusedFlow>;

/**
 * A request of endpoint 1 that was refused. It is kept for a while, so that an operator can explain the refusal. It
 * contains ids and numbers, and no other data of the member.
 */
export const RefusedAttempt = z.object({
  /** The `authentication_id` of the reply. It cannot be spent. */
  authenticationId: z.string(),
  merchantId: z.int(),
  externalTransactionId: z.string(),
  userId: z.int(),
  /** The `transaction_amount` of the request times 100. For a transfer this is a number of points times 100. */
  amountCents: Cents,
  /** The campaign that was evaluated, or that the request names. */
  campaignId: z.optional(z.int()),
  campaignVersion: z.optional(z.int()),
  /** The partner that the request names. */
  partnerId: z.optional(z.int()),
  reason: z.enum(refusalReasonNames),
  /** The points that the purchase costs, and the balance; only with `insufficient_points`. */
  cost: z.optional(z.object({ points: Points, balance: Points })),
  flows: z.array(RefusedFlow),
  /** Whether flows, conditions or limits were left out because the record would have been too large. */
  isShortened: z.optional(z.boolean()),
  /** When the request was refused, ISO 8601. A repetition of the same request updates the time. */
  refusedAt: z.string(),
});
export type RefusedAttempt = z.infer<typeof RefusedAttempt>;

/** Makes the record of a refused request. Details are left out until the record fits into two write units. */
export function refusedAttempt(
  request: Omit<RefusedAttempt, 'flows' | 'isShortened' | 'campaignVersion'>,
  decision: Decision | undefined,
): RefusedAttempt {
  if (decision === undefined) return { ...request, flows: [] };
  const { campaignId, campaignVersion } = decision;
  const flows = decision.flows.map(toRefusedFlow);
  const whole: RefusedAttempt = { ...request, campaignId, campaignVersion, flows };
  if (fits(whole)) return whole;
  const shorter = [4, 2, 1, 0].map((most) => ({
    ...whole,
    flows: flows.map((flow) => ({
      ...flow,
      conditions: flow.conditions.slice(0, most),
      limits: flow.limits.slice(0, most),
    })),
    isShortened: true,
  }));
  return shorter.find(fits) ?? { ...whole, flows: [], isShortened: true };
}

const fits = (attempt: RefusedAttempt) => byteLength(JSON.stringify(attempt)) <= maximumBytes.refusedAttempt;

function toRefusedFlow({ flowId, result, groups, limits }: Decision['flows'][number]): RefusedFlow {
  const failed = groups.filter(({ holds }) => !holds).flatMap(({ conditions }) => conditions);
  return {
    flowId,
    result,
    conditions: failed
      .filter(({ holds }) => !holds)
      .map(({ holds: _holds, actual, ...condition }) => ({
        ...condition,
        ...(typeof actual === 'number' && { actual }),
      })),
    limits: limits.filter(({ effect }) => effect === 'REFUSED'),
  };
}
