import { approvalBasis, maximumPointsAdjustedAlone } from '../../../contracts/limits.ts';
import { personOf } from '../../ledger/manual-adjustment.ts';
import { type Action, actionKind, type Campaign, type CampaignSignature, type Flow } from '../document/campaign.ts';
import { isByDollar } from '../document/facts.ts';
import type { Base } from '../document/kinds/actions.ts';

/** The rule of two persons for campaigns: one operator alone lets no campaign award more than an adjustment. */

/**
 * The most that a campaign awards for a purchase of $1,000, for one event or for a transfer of 1,000 points, in points
 * or cents: with every multiplier that increases it, and at most what a limit of the flow allows.
 */
export const largestReward = ({ type, flows }: Pick<Campaign, 'type' | 'flows'>): number =>
  flows.reduce((sum, flow) => sum + flow.actions.reduce((all, action) => all + largestOf(action, flow, type), 0), 0);

function largestOf(action: Action, flow: Flow, type: Campaign['type']): number {
  const kind = actionKind(action.kind);
  // A payment takes points from the member.
  if (kind.effect === 'payment') return 0;
  const base = basisOf(flow, type);
  const factors = flow.multipliers.map(({ factorBp }) => factorBp).filter((factor) => factor > 10_000);
  const amount = kind.amount({ base, rate: kind.baseRate(action, base.kind === 'CENTS'), factors });
  return kind.unit === 'points' ? Math.min(amount, maximumOf(flow, 'POINTS')) : amount;
}

function basisOf(flow: Flow, type: Campaign['type']): Base {
  if (type === 'TRANSFER') return { kind: 'POINTS', amount: approvalBasis.points };
  if (!isByDollar(flow.trigger)) return { kind: 'EVENT', amount: 1 };
  return { kind: 'CENTS', amount: Math.min(approvalBasis.cents, maximumOf(flow, 'DOLLARS')) };
}

/** The smallest maximum of a flow in a unit; infinity when there is none. */
function maximumOf({ limits }: Flow, unit: 'POINTS' | 'DOLLARS'): number {
  return Math.min(...limits.filter((one) => one.unit === unit && one.bound === 'MAXIMUM').map(({ amount }) => amount));
}

/**
 * Whether a second person has to approve a version: it may award too much, and one operator gave all approvals.
 * Approvals without an operator come from seeds and tests, which have no bound. A person at the dashboard decides alone
 * for the one organisation that has to approve: the organisation gave the person this role, and may want four eyes.
 */
export function needsSecondApprover(campaign: Campaign, approvals: readonly CampaignSignature[]): boolean {
  const organisations = new Set(approvals.map(({ organisationId }) => organisationId));
  if (organisations.size === 1 && approvals.every(({ staffId }) => staffId !== undefined)) return false;
  const operators = approvals.flatMap(({ operator }) => (operator === undefined ? [] : [operator]));
  const persons = new Set(operators.map((operator) => personOf({ operator })));
  return (
    persons.size === 1 && operators.length === approvals.length && largestReward(campaign) > maximumPointsAdjustedAlone
  );
}
