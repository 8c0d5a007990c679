import { isSide } from '../../partnership.ts';
import type { ApprovedVersion, ManagedCampaign } from '../document/record.ts';

/** The events that partners receive about a campaign (specification, "Campaign lifecycle"). */
export type CampaignEvent = 'campaign_activated' | 'campaign_updated' | 'campaign_ended';

/** A campaign to be written, and the events that the same write sends. */
export interface CampaignChange extends ManagedCampaign {
  readonly kind: 'changed';
  /** In order of time. */
  readonly events: readonly CampaignEvent[];
  /** The version that takes effect, when one does. */
  readonly approved?: ApprovedVersion;
}

/** Why nothing changes, in words for the person who asked. */
export interface RefusedChange {
  readonly kind: 'refused';
  readonly reason: string;
}

export type Outcome = CampaignChange | RefusedChange;

/** Which organisation asks for a change, and when. */
export interface Act {
  readonly organisationId: number;
  readonly now: Date;
}

export const refuse = (reason: string): RefusedChange => ({ kind: 'refused', reason });

/** Changes some fields of the record, or the live version, and keeps the rest. */
export function change(
  { record, live }: ManagedCampaign,
  next: { readonly record?: Partial<ManagedCampaign['record']>; readonly live?: ManagedCampaign['live'] },
  ...events: CampaignEvent[]
): CampaignChange {
  return {
    kind: 'changed',
    record: { ...record, ...next.record, revision: record.revision + 1 },
    live: next.live ?? live,
    events,
  };
}

/** Refuses organisations on neither side of the campaign, and every change of a deleted campaign. */
export function refuseStranger({ record }: ManagedCampaign, { organisationId }: Act): RefusedChange | undefined {
  if (!isSide(organisationId, record)) {
    return refuse(`organisation ${organisationId} is on neither side of the partnership of campaign ${record.id}`);
  }
  return record.isDeleted ? refuse(`campaign ${record.id} is deleted`) : undefined;
}
