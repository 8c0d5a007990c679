import type { Campaign, Flow } from '../../../shared/domain/campaign/document/campaign.ts';
import { type FlowTrigger, usageName, valuesOf } from '../../../shared/domain/campaign/document/facts.ts';
import { periodOf } from '../../../shared/domain/period.ts';
import type { Occasion } from './workload.ts';

/** Facts as the rules ask for them. */
export type PeerFacts = Readonly<{
  time: number;
  trigger: string;
  isActive: boolean;
  amountCents: number | null;
  totalSpendCents: number;
  elapsedDays: number | null;
  places: readonly string[] | null;
  channel: readonly string[];
  statusTierId: number | null;
  /** What limits of the member leave, by their ids. */
  left: Readonly<Record<number, number>>;
}>;

const dayMs = 86_400_000;

/** An occasion in the terms of the rules. */
export function peerFactsOf({ facts, usage }: Occasion, campaigns: readonly Campaign[]): PeerFacts {
  const { occurredAt, timeZone, connectedAt, location } = facts;
  const time = Date.parse(occurredAt);
  const limits = campaigns.flatMap(({ flows }) => flows.flatMap(userLimits));
  return {
    time,
    trigger: triggerName(facts.trigger),
    isActive: facts.partnershipIsActive,
    amountCents: facts.amountCents,
    totalSpendCents: facts.totalSpendCents,
    elapsedDays: connectedAt === null ? null : (time - Date.parse(connectedAt)) / dayMs,
    places: location && [location.country, ...(location.city ? [`${location.city}, ${location.region}`] : [])],
    channel: valuesOf('channel', facts),
    statusTierId: facts.statusTierId,
    left: Object.fromEntries(
      limits.map(({ id, period, amount }) => [
        id,
        amount - (usage[usageName(id, periodOf(period, occurredAt, timeZone))] ?? 0),
      ]),
    ),
  };
}

const userLimits = ({ limits }: Flow) => limits.flatMap((limit) => (limit.kind === 'USER' ? [limit] : []));

/** A trigger as one text: the peer compares texts. */
export const triggerName = (trigger: FlowTrigger) =>
  trigger.type === 'CUSTOM' ? `CUSTOM#${trigger.customTriggerId}` : trigger.type;
