import type { Decision, FlowOutcome, FlowResult } from '../../../shared/domain/campaign/evaluation/decision.ts';
import { moment } from '../cli/text.ts';
import { actionLines, amountText } from './action.ts';
import { groupLines } from './condition.ts';
import { factsLines } from './facts.ts';
import { limitLine } from './limit.ts';
import { decimal } from './number.ts';

/** A stored decision in words that somebody who never saw the code understands. */

/** What somebody asks about. */
interface AskedAbout {
  readonly flowId: number;
  readonly actionId: number;
  /** All that was paid, when that is known. */
  readonly amountCents?: number;
}

/**
 * Tells line by line what was known, what was decided, and how the points or the money came about.
 *
 * @param about the action that is asked about: its flow is told in full, of the others the outcome; all of them are
 * told in full when it is not said
 */
export function explain(
  { campaignId, campaignVersion, facts, refused, flows }: Decision,
  about?: AskedAbout,
): string[] {
  return [
    `Decided for ${moment(facts.occurredAt)} by campaign ${campaignId}, version ${campaignVersion}.`,
    ...factsLines(facts, about?.amountCents),
    ...(refused === null ? [] : [`Nothing was rewarded: ${refusalText(refused)}.`]),
    ...flows.flatMap((flow) =>
      about === undefined || flow.flowId === about.flowId
        ? [`Flow ${flow.flowId} ${resultText(flow.result)}:`, ...indented(flowLines(flow, facts, about?.actionId))]
        : [`Flow ${flow.flowId} ${resultText(flow.result)}.`],
    ),
  ];
}

function refusalText(refused: NonNullable<Decision['refused']>): string {
  switch (refused) {
    case 'campaign_not_running':
      return 'the campaign was not running at that time';
    case 'partnership_not_active':
      return 'the partnership was not active';
    case 'points_out_of_range':
      return 'it would have come to more points than can be counted';
  }
}

function resultText(result: FlowResult): string {
  switch (result) {
    case 'REWARDED':
      return 'rewarded';
    case 'OTHER_TRIGGER':
      return 'waits for something else to happen';
    case 'NOT_QUALIFIED':
      return 'rewarded nothing, because its conditions did not hold';
    case 'BELOW_MINIMUM':
      return 'rewarded nothing, because a minimum was not reached';
    case 'ABOVE_MAXIMUM':
      return 'rewarded nothing, because it was more than a maximum allows';
    case 'LIMIT_REACHED':
      return 'rewarded nothing, because the member had used up a limit';
    case 'NO_MULTIPLE':
      return 'moved nothing, because the points were no multiple of the increment';
    case 'WORTH_NOTHING':
      return 'rewarded nothing, because it came to less than one point or cent';
  }
}

function flowLines(flow: FlowOutcome, facts: Decision['facts'], actionId: number | undefined): string[] {
  return [
    ...(flow.groups.length === 0 ? ['It has no conditions: everybody qualifies.'] : flow.groups.flatMap(groupLines)),
    ...flow.multipliers.map(({ multiplierId, matched, factorBp }) =>
      matched
        ? `Multiplier ${multiplierId} applied: × ${decimal(factorBp, 4)}.`
        : `Multiplier ${multiplierId} (× ${decimal(factorBp, 4)}) did not apply.`,
    ),
    ...flow.limits.map(limitLine),
    ...flow.actions.flatMap((action) =>
      actionId === undefined || action.actionId === actionId
        ? [`Action ${action.actionId}:`, ...indented(actionLines(action, flow, facts))]
        : [`Action ${action.actionId} came to ${amountText(action)} as well.`],
    ),
  ];
}

const indented = (lines: readonly string[]) => lines.map((line) => `  ${line}`);
