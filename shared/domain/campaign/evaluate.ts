import * as z from 'zod/mini';
import { maximumPoints } from '../money.ts';
import { type Action, type Campaign, type Flow, isRunning, type Multiplier } from './campaign.ts';

/** All that an evaluation may depend on, the time included. */
export const Facts = z.object({
  /** When the rewarded thing happened; ISO 8601. */
  occurredAt: z.string(),
  trigger: z.literal('SPEND'),
  amountCents: z.int(),
  partnershipIsActive: z.boolean(),
  /** The member's tier in the loyalty program; null when it has none. */
  statusTierId: z.nullable(z.int()),
});
export type Facts = z.infer<typeof Facts>;

const MultiplierOutcome = z.object({ multiplierId: z.int(), matched: z.boolean(), factorBp: z.int() });

const ActionOutcome = z.object({
  actionId: z.int(),
  kind: z.enum(['AWARD_POINTS', 'REDEEM_POINTS']),
  /** The base rate: ten-thousandths of a point per dollar to award, millionths of a dollar per point to redeem. */
  baseRate: z.int(),
  multipliers: z.array(MultiplierOutcome),
  points: z.int(),
});

const FlowOutcome = z.object({ flowId: z.int(), actions: z.array(ActionOutcome) });

/** What was decided and why. Stored as the eligibility snapshot: whoever asks later reads only this. */
export const Decision = z.object({
  campaignId: z.int(),
  campaignVersion: z.int(),
  facts: Facts,
  /** Why nothing at all is rewarded, when that is so. */
  refused: z.nullable(z.enum(['campaign_not_running', 'partnership_not_active', 'points_out_of_range'])),
  flows: z.array(FlowOutcome),
});
export type Decision = z.infer<typeof Decision>;

const basisPoints = 10_000n;

/** What a campaign gives for some facts. Pure, total, and the same for the same arguments. */
export function evaluate(campaign: Campaign, facts: Facts): Decision {
  const flows = campaign.flows.map((flow) => flowOutcome(flow, facts));
  const refused = refusalOf(campaign, facts) ?? (areCountable(flows) ? null : 'points_out_of_range');
  return {
    campaignId: campaign.id,
    campaignVersion: campaign.version,
    facts,
    refused,
    flows: refused === null ? flows : [],
  };
}

/** Rates that are allowed one by one can make more points together than numbers hold exactly. */
function areCountable(flows: readonly z.infer<typeof FlowOutcome>[]): boolean {
  const points = flows.flatMap(({ actions }) => actions.map((action) => action.points));
  return points.reduce((sum, next) => sum + next, 0) <= maximumPoints;
}

function refusalOf(campaign: Campaign, facts: Facts): Decision['refused'] {
  if (!facts.partnershipIsActive) return 'partnership_not_active';
  return isRunning(campaign, new Date(facts.occurredAt)) ? null : 'campaign_not_running';
}

function flowOutcome(flow: Flow, facts: Facts): z.infer<typeof FlowOutcome> {
  const multipliers = flow.multipliers.map((multiplier) => ({
    multiplierId: multiplier.id,
    matched: multiplierMatches(multiplier, facts),
    factorBp: multiplier.factorBp,
  }));
  const factors = multipliers.filter(({ matched }) => matched).map(({ factorBp }) => BigInt(factorBp));
  return {
    flowId: flow.id,
    actions: flow.actions.map((action) => ({
      actionId: action.id,
      kind: action.kind,
      baseRate: action.kind === 'AWARD_POINTS' ? action.pointsPerDollarBp : action.pointValueMicros,
      multipliers,
      points: pointsOf(action, facts.amountCents, factors),
    })),
  };
}

function multiplierMatches(multiplier: Multiplier, { statusTierId }: Facts): boolean {
  const isIn = statusTierId !== null && multiplier.statusTierIds.includes(statusTierId);
  return multiplier.operator === 'IS_IN' ? isIn : !isIn;
}

/** Exact until the one rounding at the end: what is earned is rounded down, what is paid is rounded up. */
function pointsOf(action: Action, amountCents: number, factors: readonly bigint[]): number {
  const cents = BigInt(amountCents);
  const factor = factors.reduce((product, next) => product * next, 1n);
  const unit = basisPoints ** BigInt(factors.length);

  if (action.kind === 'AWARD_POINTS') {
    return Number((cents * BigInt(action.pointsPerDollarBp) * factor) / (100n * basisPoints * unit));
  }
  // A cent is 10,000 millionths of a dollar. The factor makes each point worth more.
  const worth = BigInt(action.pointValueMicros) * factor;
  return Number((cents * 10_000n * unit + worth - 1n) / worth);
}
