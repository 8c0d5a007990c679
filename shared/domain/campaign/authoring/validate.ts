import { maximumCount } from '../../../contracts/limits.ts';
import { actionKind, type Campaign, type Flow, goalKind, limitKind } from '../document/campaign.ts';
import {
  type CampaignFault,
  type CampaignSettings,
  fault,
  faultIf,
  takesPoints,
  withArticle,
} from '../document/kinds/kind.ts';
import { findFlowFaults } from './flow-faults.ts';
import { findRegistryFaults } from './registry-faults.ts';

/** The fields that the rules between parts depend on. */
type RuledDocument = Pick<Campaign, 'type' | 'startsAt' | 'endsAt' | 'flows' | 'goals'>;

/**
 * Finds every fault of a document that the schemas of its parts cannot find. A document without faults may be
 * approved.
 *
 * @param settings those settings of the partnership on which the rules depend
 */
export function validateCampaign(document: RuledDocument, settings: CampaignSettings): CampaignFault[] {
  const { type, flows } = document;
  return [
    ...endFaults(document),
    ...flowCountFaults(document),
    ...sizeFaults(flows),
    ...flows.flatMap((flow, position) => findFlowFaults({ flow, type, settings, at: `/flows/${position}` })),
    ...findRegistryFaults(flows, settings),
    ...goalFaults(document),
    ...repeatedIdFaults(document),
  ];
}

function endFaults({ startsAt, endsAt }: RuledDocument): CampaignFault[] {
  const isBackwards = endsAt !== null && Date.parse(endsAt) <= Date.parse(startsAt);
  return faultIf(isBackwards, fault('/endsAt', 'end_before_start', 'The end has to be after the start'));
}

function flowCountFaults({ type, flows }: RuledDocument): CampaignFault[] {
  return [
    ...faultIf(flows.length === 0, fault('/flows', 'no_flow', 'A campaign without a flow does nothing: add a flow')),
    ...(takesPoints(type) ? unreachableFaults(flows) : []),
  ];
}

/**
 * Only the first flow that can pay takes the points. If one flow can always pay, the flows after it never take points.
 */
function unreachableFaults(flows: readonly Flow[]): CampaignFault[] {
  const always = flows.findIndex(
    ({ conditionGroups, limits, actions }) =>
      conditionGroups.length === 0 &&
      limits.length === 0 &&
      actions.every((action) => actionKind(action.kind).step(action) === null),
  );
  if (always < 0) return [];
  const message = `Flow ${always + 1} always takes the points: put flows without conditions, limits and steps last`;
  return flows
    .slice(always + 1)
    .map((_, position) => fault(`/flows/${always + 1 + position}`, 'unreachable_flow', message));
}

/** Finds too many actions or too many member limits. All flows with the same trigger count together. */
function sizeFaults(flows: readonly Flow[]): CampaignFault[] {
  const together = Map.groupBy(flows, ({ trigger }) =>
    trigger.type === 'CUSTOM' ? `CUSTOM ${trigger.customTriggerId}` : trigger.type,
  );
  return [...together.values()].flatMap((own) => {
    const actions = own.flatMap((flow) => flow.actions).length;
    const limits = own.flatMap((flow) => flow.limits).filter(({ kind }) => limitKind(kind).isCounted).length;
    const event = own[0]?.trigger.type;
    return [
      ...faultIf(
        actions > maximumCount.actionsPerEvent,
        fault(
          '/flows',
          'too_many_actions',
          `${actions} actions begin at ${event}, at most ${maximumCount.actionsPerEvent} may`,
        ),
      ),
      ...faultIf(
        limits > maximumCount.memberLimitsPerEvent,
        fault(
          '/flows',
          'too_many_limits',
          `${limits} limits of members count at ${event}, at most ${maximumCount.memberLimitsPerEvent} may`,
        ),
      ),
    ];
  });
}

function goalFaults({ type, goals }: RuledDocument): CampaignFault[] {
  return goals.flatMap((goal, position) =>
    faultIf(
      !goalKind(goal.type).campaignTypes.includes(type),
      fault(
        `/goals/${position}/type`,
        'goal_of_other_type',
        `${withArticle(type)} campaign cannot reach a goal of ${goal.type}`,
      ),
    ),
  );
}

/** Ids identify the counters of limits, so no two parts may have the same id. */
function repeatedIdFaults({ flows, goals }: RuledDocument): CampaignFault[] {
  const first = new Map<number, string>();
  return [...idsOf(flows, '/flows'), ...flows.flatMap(idsInFlow), ...idsOf(goals, '/goals')].flatMap(({ id, at }) => {
    const other = first.get(id);
    if (other === undefined) first.set(id, at);
    return faultIf(other !== undefined, fault(`${at}/id`, 'repeated_id', `${other} has the id ${id} already`));
  });
}

function idsInFlow({ actions, multipliers, limits, conditionGroups }: Flow, position: number) {
  const at = `/flows/${position}`;
  return [
    ...idsOf(actions, `${at}/actions`),
    ...idsOf(multipliers, `${at}/multipliers`),
    ...idsOf(limits, `${at}/limits`),
    ...idsOf(conditionGroups, `${at}/conditionGroups`),
    ...conditionGroups.flatMap(({ conditions }, group) =>
      idsOf(conditions, `${at}/conditionGroups/${group}/conditions`),
    ),
  ];
}

function idsOf(parts: readonly { readonly id: number }[], at: string) {
  return parts.map(({ id }, position) => ({ id, at: `${at}/${position}` }));
}
