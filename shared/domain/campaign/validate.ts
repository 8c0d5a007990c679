import type { Action } from './action.ts';
import type { Campaign, Flow } from './campaign.ts';
import type { Limit } from './limit.ts';

/** One fault of a campaign document, in words that an operator understands. */
export interface CampaignFault {
  /** JSON Pointer into the document. */
  readonly pointer: string;
  readonly code: string;
  readonly message: string;
}

/** What the rules between the parts of a document are about. */
export type CampaignDocument = Pick<Campaign, 'type' | 'startsAt' | 'endsAt' | 'flows' | 'goals'>;

const fault = (pointer: string, code: string, message: string): CampaignFault => ({ pointer, code, message });

/**
 * Every fault of a document that the schema of its parts cannot see; none when it may be approved.
 *
 * @param settings of the partnership that it is to run under
 */
export function campaignFaults(
  document: CampaignDocument,
  settings: { readonly allowsCashback: boolean },
): CampaignFault[] {
  return [
    ...scheduleFaults(document),
    ...(document.flows.length === 0 ? [fault('/flows', 'no_flow', 'A campaign needs at least one flow')] : []),
    ...document.flows.flatMap((flow, position) => flowFaults(flow, document, settings, `/flows/${position}`)),
    ...repeatedIdFaults(document),
  ];
}

function scheduleFaults({ startsAt, endsAt }: CampaignDocument): CampaignFault[] {
  if (endsAt === null || Date.parse(endsAt) > Date.parse(startsAt)) return [];
  return [fault('/endsAt', 'end_before_start', 'The end has to be after the start')];
}

/** What each type of campaign may do. */
const actionsOfType: Readonly<Record<Campaign['type'], readonly Action['kind'][]>> = {
  EARN: ['AWARD_POINTS', 'AWARD_CASHBACK'],
  REDEEM: ['REDEEM_POINTS'],
  TRANSFER: ['TRANSFER_POINTS'],
  CONNECT_ONLY: [],
};

function flowFaults(
  flow: Flow,
  { type }: CampaignDocument,
  settings: { readonly allowsCashback: boolean },
  at: string,
): CampaignFault[] {
  return [
    ...triggerFaults(flow, type, at),
    ...actionCountFaults(flow, type, at),
    ...flow.actions.flatMap((action, position) => [
      ...actionFaults(action, type, settings, `${at}/actions/${position}`),
      ...rateFaults(action, flow, `${at}/actions/${position}`),
    ]),
    ...conditionFaults(flow, at),
    ...limitFaults(flow, at),
  ];
}

/** Points are paid and moved by a purchase-like request only; an account is only ever connected by a registration. */
function triggerFaults({ trigger }: Flow, type: Campaign['type'], at: string): CampaignFault[] {
  if ((type === 'REDEEM' || type === 'TRANSFER') && trigger.type !== 'SPEND') {
    return [
      fault(`${at}/trigger`, 'trigger_of_other_type', `A ${type} campaign begins with SPEND, not with ${trigger.type}`),
    ];
  }
  if (type === 'CONNECT_ONLY' && trigger.type !== 'REGISTRATION') {
    return [
      fault(
        `${at}/trigger`,
        'trigger_of_other_type',
        `A CONNECT_ONLY campaign begins with REGISTRATION, not with ${trigger.type}`,
      ),
    ];
  }
  return [];
}

function actionCountFaults({ actions }: Flow, type: Campaign['type'], at: string): CampaignFault[] {
  if (type !== 'CONNECT_ONLY' && actions.length === 0) {
    return [fault(`${at}/actions`, 'no_action', 'A flow needs at least one action')];
  }
  if ((type === 'REDEEM' || type === 'TRANSFER') && actions.length > 1) {
    return [
      fault(
        `${at}/actions`,
        'several_actions',
        `A flow of a ${type} campaign has one action: the same points cannot be taken twice`,
      ),
    ];
  }
  return [];
}

function actionFaults(
  action: Action,
  type: Campaign['type'],
  { allowsCashback }: { readonly allowsCashback: boolean },
  at: string,
): CampaignFault[] {
  if (!actionsOfType[type].includes(action.kind)) {
    const allowed = actionsOfType[type].join(' or ') || 'no action';
    return [fault(`${at}/kind`, 'action_of_other_type', `A ${type} campaign has ${allowed}, not ${action.kind}`)];
  }
  if (action.kind === 'AWARD_CASHBACK' && !allowsCashback) {
    return [fault(`${at}/kind`, 'cashback_not_enabled', 'Cashback is not enabled in the settings of the partnership')];
  }
  if (action.kind === 'TRANSFER_POINTS' && action.fromPartnerId === action.toPartnerId) {
    return [fault(`${at}/toPartnerId`, 'same_program', 'Points have to move to another program than they come from')];
  }
  return [];
}

/** An award goes by the dollar where something is spent and by the event everywhere else, never by both. */
function rateFaults(action: Action, { trigger }: Flow, at: string): CampaignFault[] {
  if (action.kind !== 'AWARD_POINTS' && action.kind !== 'AWARD_CASHBACK') return [];
  const rates =
    action.kind === 'AWARD_POINTS'
      ? { pointsPerDollarBp: action.pointsPerDollarBp, pointsPerEvent: action.pointsPerEvent }
      : { shareBp: action.shareBp, centsPerEvent: action.centsPerEvent };
  const [perDollar = '', perEvent = ''] = Object.keys(rates);
  const [wanted, other] = trigger.type === 'SPEND' ? [perDollar, perEvent] : [perEvent, perDollar];
  const has = (name: string) => Object.entries(rates).some(([rate, value]) => rate === name && value !== undefined);
  return [
    ...(has(wanted)
      ? []
      : [fault(`${at}/${wanted}`, 'no_rate', `A flow that begins with ${trigger.type} needs ${wanted}`)]),
    ...(has(other)
      ? [fault(`${at}/${other}`, 'other_rate', `A flow that begins with ${trigger.type} cannot have ${other}`)]
      : []),
  ];
}

function conditionFaults({ trigger, conditionGroups }: Flow, at: string): CampaignFault[] {
  if (trigger.type === 'SPEND') return [];
  return conditionGroups.flatMap(({ conditions }, group) =>
    conditions.flatMap(({ attribute }, position) =>
      attribute === 'BASKET_SIZE'
        ? [
            fault(
              `${at}/conditionGroups/${group}/conditions/${position}`,
              'no_basket',
              `Nothing is bought at ${trigger.type}: a basket size can never hold`,
            ),
          ]
        : [],
    ),
  );
}

function limitFaults({ trigger, limits }: Flow, at: string): CampaignFault[] {
  const dollars = limits.flatMap((limit, position) =>
    limit.unit === 'DOLLARS' && trigger.type !== 'SPEND'
      ? [
          fault(
            `${at}/limits/${position}/unit`,
            'no_dollars',
            `Nothing is spent at ${trigger.type}: dollars cannot be limited`,
          ),
        ]
      : [],
  );
  return [...dollars, ...boundFaults(limits, at)];
}

function boundFaults(limits: readonly Limit[], at: string): CampaignFault[] {
  return limits.flatMap((minimum, position) => {
    if (minimum.bound !== 'MINIMUM') return [];
    const isImpossible = limits.some(
      ({ bound, unit, amount }) => bound === 'MAXIMUM' && unit === minimum.unit && amount < minimum.amount,
    );
    return isImpossible
      ? [
          fault(
            `${at}/limits/${position}/amount`,
            'minimum_above_maximum',
            'The minimum is more than a maximum of the same flow',
          ),
        ]
      : [];
  });
}

/** Members' use of limits is counted by the ids of parts, so each may stand for one part only. */
function repeatedIdFaults({ flows, goals }: CampaignDocument): CampaignFault[] {
  const named = [
    ...flows.flatMap((flow, position) => idsOfFlow(flow, `/flows/${position}`)),
    ...goals.map(({ id }, position) => ({ id, at: `/goals/${position}` })),
  ];
  return named
    .filter(({ id }, position) => named.findIndex((other) => other.id === id) < position)
    .map(({ id, at }) => fault(`${at}/id`, 'repeated_id', `Another part has the id ${id} already`));
}

function idsOfFlow({ id, actions, multipliers, limits, conditionGroups }: Flow, at: string) {
  const idsOf = (name: string, parts: readonly { readonly id: number }[], of = at) =>
    parts.map((part, position) => ({ id: part.id, at: `${of}/${name}/${position}` }));
  return [
    { id, at },
    ...idsOf('actions', actions),
    ...idsOf('multipliers', multipliers),
    ...idsOf('limits', limits),
    ...idsOf('conditionGroups', conditionGroups),
    ...conditionGroups.flatMap(({ conditions }, position) =>
      idsOf('conditions', conditions, `${at}/conditionGroups/${position}`),
    ),
  ];
}
