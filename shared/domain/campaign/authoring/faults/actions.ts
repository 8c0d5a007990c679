import type { Action } from '../../document/action.ts';
import type { Campaign, Flow } from '../../document/campaign.ts';
import { aType, type CampaignFault, type CampaignSettings, type FlowInDocument, fault, faultIf } from './fault.ts';

/** What each type of campaign may do. */
const actionsOfType: Readonly<Record<Campaign['type'], readonly Action['kind'][]>> = {
  EARN: ['AWARD_POINTS', 'AWARD_CASHBACK'],
  REDEEM: ['REDEEM_POINTS'],
  TRANSFER: ['TRANSFER_POINTS'],
  CONNECT_ONLY: [],
};

/** What is wrong with the actions of a flow: how many, of which kind, at which rates. */
export function actionFaults(inDocument: FlowInDocument): CampaignFault[] {
  const { flow, type, at } = inDocument;
  const takesPoints = type === 'REDEEM' || type === 'TRANSFER';
  return [
    ...faultIf(
      type !== 'CONNECT_ONLY' && flow.actions.length === 0,
      fault(`${at}/actions`, 'no_action', 'Without an action the flow rewards nothing: add at least one'),
    ),
    ...faultIf(
      takesPoints && flow.actions.length > 1,
      fault(`${at}/actions`, 'several_actions', `${aType(type)} flow has one action: two would take points twice`),
    ),
    ...flow.actions.flatMap((action, position) => faultsOf(action, inDocument, `${at}/actions/${position}`)),
  ];
}

function faultsOf(action: Action, { flow, type, settings }: FlowInDocument, at: string): CampaignFault[] {
  if (!actionsOfType[type].includes(action.kind)) {
    const allowed = actionsOfType[type].join(' or ') || 'no actions';
    return [fault(`${at}/kind`, 'action_of_other_type', `${aType(type)} campaign has ${allowed}, not ${action.kind}`)];
  }
  switch (action.kind) {
    case 'AWARD_POINTS':
      return rateFaults(action, flow, at);
    case 'AWARD_CASHBACK':
      return [
        ...faultIf(
          !settings.allowsCashback,
          fault(`${at}/kind`, 'cashback_not_enabled', 'The partnership does not allow cashback: enable it there first'),
        ),
        ...rateFaults(action, flow, at),
      ];
    case 'TRANSFER_POINTS':
      return transferFaults(action, settings, at);
    case 'REDEEM_POINTS':
      return [];
  }
}

type Transfer = Extract<Action, { kind: 'TRANSFER_POINTS' }>;

/** Points move between the program of the partnership and another one of the merchant's partners. */
function transferFaults(
  { fromPartnerId, toPartnerId }: Transfer,
  { partnerId, programs }: CampaignSettings,
  at: string,
): CampaignFault[] {
  if (fromPartnerId === toPartnerId) {
    const message = 'Points have to move to another program than they come from';
    return [fault(`${at}/toPartnerId`, 'same_program', message)];
  }
  const isForeign = fromPartnerId !== partnerId && toPartnerId !== partnerId;
  const foreign = `Points have to come from the program of the partnership's partner, ${partnerId}, or move to it`;
  return [
    ...faultIf(isForeign, fault(at, 'foreign_programs', foreign)),
    ...Object.entries({ fromPartnerId, toPartnerId }).flatMap(([name, id]) =>
      faultIf(
        !programs.has(id),
        fault(`${at}/${name}`, 'unknown_partner', `The merchant has no partnership with a partner ${id}`),
      ),
    ),
  ];
}

type Award = Extract<Action, { kind: 'AWARD_POINTS' | 'AWARD_CASHBACK' }>;

/** An award goes by the dollar where something is spent and by the event everywhere else, never by both. */
function rateFaults(award: Award, { trigger }: Flow, at: string): CampaignFault[] {
  const { perDollar, perEvent } = ratesOf(award);
  const isSpend = trigger.type === 'SPEND';
  const [wanted, other] = isSpend ? [perDollar, perEvent] : [perEvent, perDollar];
  const rule = isSpend ? 'A purchase is rewarded by the dollar' : `${trigger.type} is rewarded by the event`;
  return [
    ...faultIf(
      wanted.rate === undefined,
      fault(`${at}/${wanted.name}`, 'no_rate', `${rule}: ${wanted.name} is missing`),
    ),
    ...faultIf(wanted.rate === 0, fault(`${at}/${wanted.name}`, 'rate_of_zero', 'A rate of 0 rewards nothing')),
    ...faultIf(
      other.rate !== undefined,
      fault(`${at}/${other.name}`, 'other_rate', `${rule}: remove ${other.name}, it would never count`),
    ),
  ];
}

function ratesOf(award: Award) {
  return award.kind === 'AWARD_POINTS'
    ? {
        perDollar: { name: 'pointsPerDollarBp', rate: award.pointsPerDollarBp },
        perEvent: { name: 'pointsPerEvent', rate: award.pointsPerEvent },
      }
    : {
        perDollar: { name: 'shareBp', rate: award.shareBp },
        perEvent: { name: 'centsPerEvent', rate: award.centsPerEvent },
      };
}
