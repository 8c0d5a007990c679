import type { Campaign, Flow } from '../document/campaign.ts';
import type { Goal } from '../document/limit.ts';
import { actionFaults } from './faults/actions.ts';
import { conditionFaults } from './faults/conditions.ts';
import {
  aType,
  type CampaignFault,
  type CampaignSettings,
  type FlowInDocument,
  fault,
  faultIf,
} from './faults/fault.ts';
import { limitFaults } from './faults/limits.ts';
import { sizeFaults } from './faults/size.ts';
import { triggerFaults } from './faults/triggers.ts';

export type { CampaignFault, CampaignSettings } from './faults/fault.ts';

/** What the rules between the parts of a document are about. */
export type CampaignDocument = Pick<Campaign, 'type' | 'startsAt' | 'endsAt' | 'flows' | 'goals'>;

/**
 * Every fault of a document that the schema of its parts cannot see; none when it may be approved.
 *
 * @param settings what is known of the partnership that it is to run under
 */
export function campaignFaults(document: CampaignDocument, settings: CampaignSettings): CampaignFault[] {
  const { type, flows } = document;
  return [
    ...scheduleFaults(document),
    ...flowCountFaults(document),
    ...sizeFaults(flows),
    ...flows.flatMap((flow, position) => flowFaults({ flow, type, settings, at: `/flows/${position}` })),
    ...goalFaults(document),
    ...repeatedIdFaults(document),
  ];
}

function scheduleFaults({ startsAt, endsAt }: CampaignDocument): CampaignFault[] {
  const isBackwards = endsAt !== null && Date.parse(endsAt) <= Date.parse(startsAt);
  return faultIf(isBackwards, fault('/endsAt', 'end_before_start', `The end has to be after the start, ${startsAt}`));
}

function flowCountFaults({ type, flows }: CampaignDocument): CampaignFault[] {
  const takesPoints = type === 'REDEEM' || type === 'TRANSFER';
  return [
    ...faultIf(flows.length === 0, fault('/flows', 'no_flow', 'Without a flow nothing happens: add at least one')),
    ...faultIf(
      takesPoints && flows.length > 1,
      fault('/flows', 'several_flows', `${aType(type)} campaign has one flow: two would take points twice`),
    ),
  ];
}

function flowFaults(inDocument: FlowInDocument): CampaignFault[] {
  return [
    ...triggerFaults(inDocument),
    ...actionFaults(inDocument),
    ...conditionFaults(inDocument),
    ...limitFaults(inDocument),
  ];
}

/** What a campaign of a type can reach. */
const goalsOfType: Readonly<Record<Campaign['type'], readonly Goal['type'][]>> = {
  EARN: ['REGISTRATIONS', 'POINTS_EARNED'],
  REDEEM: ['REGISTRATIONS', 'POINTS_REDEEMED'],
  TRANSFER: ['REGISTRATIONS', 'POINTS_EARNED', 'POINTS_REDEEMED'],
  CONNECT_ONLY: ['REGISTRATIONS'],
};

function goalFaults({ type, goals }: CampaignDocument): CampaignFault[] {
  return goals.flatMap((goal, position) =>
    faultIf(
      !goalsOfType[type].includes(goal.type),
      fault(
        `/goals/${position}/type`,
        'goal_of_other_type',
        `${aType(type)} campaign cannot reach a goal of ${goal.type}`,
      ),
    ),
  );
}

/** Members' use of limits is counted by the ids of parts, so each may stand for one part only. */
function repeatedIdFaults({ flows, goals }: CampaignDocument): CampaignFault[] {
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
