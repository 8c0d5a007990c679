import type { Campaign, Flow } from '../../document/campaign.ts';
import { aType, type CampaignFault, type FlowInDocument, fault, faultIf, type KnownTrigger } from './fault.ts';

/** Points are paid and moved by a request only, like a purchase; an account is connected by a registration. */
const triggerOfType: Readonly<Record<Campaign['type'], Flow['trigger']['type'] | null>> = {
  EARN: null,
  REDEEM: 'SPEND',
  TRANSFER: 'SPEND',
  CONNECT_ONLY: 'REGISTRATION',
};

/** What is wrong with what begins a flow: that its type does not allow it, or that it never happens. */
export function triggerFaults({ flow: { trigger }, type, settings, at }: FlowInDocument): CampaignFault[] {
  const wanted = triggerOfType[type] ?? trigger.type;
  if (trigger.type !== wanted) {
    const message = `${aType(type)} flow begins with ${wanted}, not with ${trigger.type}`;
    return [fault(`${at}/trigger`, 'trigger_of_other_type', message)];
  }
  if (trigger.type !== 'CUSTOM') return [];
  return customTriggerFaults(trigger.customTriggerId, settings.triggers, `${at}/trigger/customTriggerId`);
}

function customTriggerFaults(id: number, triggers: readonly KnownTrigger[], at: string): CampaignFault[] {
  const trigger = triggers.find(({ customTriggerId }) => customTriggerId === id);
  if (!trigger) return [unknownTrigger(at, `${id}`, triggers)];
  const named = `Trigger ${nameOf(trigger)}`;
  return [
    ...faultIf(
      trigger.event === 'REFERRAL',
      fault(
        at,
        'referral_trigger',
        `${named} tells of referrals: the flow has to begin with REFERRAL, not with CUSTOM`,
      ),
    ),
    ...faultIf(
      !trigger.isActive,
      fault(at, 'inactive_trigger', `${named} is not active, so that no event by it is taken: activate it first`),
    ),
  ];
}

/** That there is no such trigger, and which there are. */
export function unknownTrigger(at: string, what: string, triggers: readonly KnownTrigger[]): CampaignFault {
  const usable = triggers.filter(({ event, isActive }) => event === 'CUSTOM' && isActive).map(nameOf);
  const choice = usable.length === 0 ? 'make it first' : `flows may begin with ${usable.join(', ')}`;
  return fault(at, 'unknown_trigger', `The partnership has no trigger ${what}: ${choice}`);
}

const nameOf = ({ customTriggerId, name }: KnownTrigger) => `${customTriggerId} (${name})`;
