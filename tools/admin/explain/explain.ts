import type { Campaign, Flow } from '../../../shared/domain/campaign/document/campaign.ts';
import type { Facts } from '../../../shared/domain/campaign/document/facts.ts';
import { textOf } from '../../../shared/domain/campaign/document/kinds/phrase.ts';
import type { Decision, FlowOutcome } from '../../../shared/domain/campaign/evaluation/decision.ts';
import { decimal } from '../../../shared/domain/campaign/words/amounts.ts';
import {
  countedInWords,
  explainAction,
  refusalInWords,
  resultInWords,
  resultsInWords,
} from '../../../shared/domain/campaign/words/explanation.ts';
import { multiplierWords } from '../../../shared/domain/campaign/words/flow-sentence.ts';
import type { Location } from '../../../shared/domain/member/member.ts';
import { localMoment } from '../cli/moments.ts';
import { count, counted, dollars, namedId } from '../cli/text.ts';
import { flowName } from './campaign-words.ts';
import { explainGroup, explainLimit, type TierName } from './parts.ts';

/** The reward that an explanation is about. */
interface Subject {
  readonly flowId: number;
  readonly actionId: number;
  /** The whole payment, if it is known. */
  readonly amountCents?: number;
}

/** The names of what a decision knows by its number. */
interface DecisionNames {
  /** The names of the program's status tiers. */
  readonly tierName?: TierName;
  /** A version of the campaign. Its flows are named only if the decision was made by this version. */
  readonly campaign?: Campaign | undefined;
}

/**
 * Explains a stored decision line by line: the facts, the result of every flow, and the calculation of points or
 * money.
 *
 * @param subject the action to explain in full; every other flow and action gets one line. Without a subject, all flows
 * and actions are explained in full
 */
export function explain(
  { campaignId, campaignVersion, facts, refused, flows }: Decision,
  subject?: Subject,
  { tierName = () => undefined, campaign }: DecisionNames = {},
): string[] {
  const documents = campaign?.version === campaignVersion ? campaign.flows : [];
  const documentOf = ({ flowId }: FlowOutcome) => documents.find(({ id }) => id === flowId);
  return [
    `Decided for ${localMoment(facts.occurredAt, facts.timeZone)} by campaign ${campaignId}, version ${campaignVersion}.`,
    ...explainFacts(facts, tierName, subject?.amountCents),
    ...(refused === null ? [] : [`Nothing was rewarded: ${refusalInWords[refused]}.`]),
    ...flows.flatMap((flow) => {
      const document = documentOf(flow);
      const name = campaign && document ? ` (${flowName(document, campaign)})` : '';
      const result = `Flow ${flow.flowId}${name} ${resultsInWords[flow.result]}`;
      if (subject !== undefined && flow.flowId !== subject.flowId) return [`${result}.`];
      return [`${result}:`, ...indented(explainFlow(flow, { facts, tierName, document, actionId: subject?.actionId }))];
    }),
  ];
}

interface FlowContext {
  readonly facts: Facts;
  readonly tierName: TierName;
  /** The flow in the campaign, if it is known. */
  readonly document: Flow | undefined;
  /** The action to explain in full. */
  readonly actionId: number | undefined;
}

function explainFlow(flow: FlowOutcome, { facts, tierName, document, actionId }: FlowContext): string[] {
  const multiplierName = ({ multiplierId, factorBp }: FlowOutcome['multipliers'][number]) => {
    const multiplier = document?.multipliers.find(({ id }) => id === multiplierId);
    return multiplier
      ? textOf(multiplierWords({ ...multiplier }, '', { tier: tierName }))
      : `× ${decimal(factorBp, 4)}`;
  };
  return [
    ...(flow.groups.length === 0
      ? ['It has no conditions: every member qualifies.']
      : flow.groups.flatMap((group) => explainGroup(group, tierName))),
    ...(flow.countedCents === undefined ? [] : [countedInWords(flow.countedCents, facts)]),
    ...flow.multipliers.map(
      (one) => `Multiplier ${one.multiplierId} (${multiplierName(one)}) ${one.matched ? 'applied' : 'did not apply'}.`,
    ),
    ...flow.limits.map(explainLimit),
    ...flow.actions.flatMap((action) =>
      actionId === undefined || action.actionId === actionId
        ? [`Action ${action.actionId}:`, ...indented(explainAction(action, flow, facts))]
        : [`Action ${action.actionId} came to ${resultInWords(action)} as well.`],
    ),
  ];
}

const indented = (lines: readonly string[]) => lines.map((line) => `  ${line}`);

/**
 * Lists the facts of the decision.
 *
 * @param paidCents the whole payment, including taxes and fees, which never earn
 */
function explainFacts(facts: Facts, tierName: TierName, paidCents?: number): string[] {
  const { partnershipIsActive } = facts;
  return [
    `Event: ${eventInWords(facts, paidCents)}.`,
    `Member: ${memberInWords(facts, tierName).join('; ')}.`,
    `Partnership: ${partnershipIsActive ? 'active' : 'not active'}.`,
  ];
}

function eventInWords({ trigger, amountCents, transferPoints }: Facts, paidCents?: number): string {
  const amount = amountCents === null ? '' : ` of ${dollars(amountCents)}`;
  if (transferPoints !== null) return `a transfer of ${counted(count(transferPoints), 'point')}`;
  switch (trigger.type) {
    case 'SPEND':
      return paidCents === undefined || paidCents === amountCents
        ? `a purchase${amount}`
        : `a purchase of ${dollars(paidCents)}; ${dollars(amountCents ?? 0)} of it can earn`;
    case 'REGISTRATION':
      return 'the member linked an account';
    case 'REFERRAL':
      return 'the member referred another one';
    case 'CUSTOM':
      return `an event of trigger ${trigger.customTriggerId}${amount}`;
  }
}

function memberInWords(facts: Facts, tierName: TierName): string[] {
  const { statusTierId, connectedAt, totalSpendCents, location, attributes, timeZone } = facts;
  return [
    statusTierId === null ? 'no status tier' : `status tier ${namedId(statusTierId, tierName(statusTierId))}`,
    connectedAt === null ? 'not connected' : `connected since ${localMoment(connectedAt, timeZone)}`,
    `had spent ${dollars(totalSpendCents)} at the merchant since then`,
    location === null ? 'the merchant reported no location' : `lives in ${placeInWords(location)}`,
    ...Object.entries(attributes).map(([name, values]) => `${name} is ${values.join(', ') || 'nothing'}`),
  ];
}

function placeInWords({ country, region, city }: Location): string {
  return [city, region, country].filter((part) => part !== null).join(', ');
}
