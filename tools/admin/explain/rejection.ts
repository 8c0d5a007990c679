import { type RefusedAttempt, refusalReasons } from '../../../shared/domain/award/refusal.ts';
import type { Simulation } from '../../../shared/domain/award/simulate.ts';
import { count, counted, dollars } from '../cli/text.ts';
import { explain, resultsInWords } from './explain.ts';
import { explainFailedCondition, explainLimit } from './parts.ts';

/** Explains the decision of a simulation, or why the simulation has no decision. */
export function simulationLines({ decision, reason }: Simulation): string[] {
  if (decision) return explain(decision);
  return [
    reason === 'user_not_customer'
      ? 'Nothing could be decided: the member is not a customer of the merchant.'
      : 'Nothing could be decided: the member has no account in the program.',
  ];
}

/** Explains line by line why a request of endpoint 1 was refused. */
export function attemptLines(attempt: RefusedAttempt): string[] {
  const { reason, amountCents, campaignId, campaignVersion, partnerId, cost, flows, isShortened } = attempt;
  const asked = [
    `Member ${attempt.userId} asked with the amount ${dollars(amountCents)}`,
    ...(partnerId === undefined ? [] : [`partner ${partnerId}`]),
    ...(campaignId === undefined ? ['no campaign'] : [`campaign ${campaignId}`]),
  ];
  return [
    `${refusalReasons[reason]} (${reason}).`,
    `${asked.join(', ')}.`,
    ...(campaignVersion === undefined ? [] : [`Decided by version ${campaignVersion} of the campaign.`]),
    ...(cost ? [`It costs ${counted(count(cost.points), 'point')}; the balance was ${count(cost.balance)}.`] : []),
    ...flows.flatMap(flowLines),
    ...(isShortened ? ['Further details were too long to keep.'] : []),
  ];
}

function flowLines({ flowId, result, conditions, limits }: RefusedAttempt['flows'][number]): string[] {
  return [
    `Flow ${flowId} ${resultsInWords[result]}.`,
    ...conditions.map((condition) => `  ${explainFailedCondition(condition)}`),
    ...limits.map((limit) => `  ${explainLimit(limit)}`),
  ];
}
