import { isSide } from '../../partnership.ts';
import type { ApprovedVersion, ManagedCampaign } from '../document/record.ts';

/** What partners hear of a campaign (specification, "Campaign lifecycle"). */
export type CampaignEvent = 'campaign_activated' | 'campaign_updated' | 'campaign_ended';

/** A campaign as it is to be written, all of it or nothing, and what is told with it. */
export interface CampaignChange extends ManagedCampaign {
  readonly kind: 'changed';
  /** In the order in which it happened. */
  readonly events: readonly CampaignEvent[];
  /** The version that takes effect with it, when one does. */
  readonly approved?: ApprovedVersion;
}

/** Why nothing changes, in words for the person who asked. */
export interface Refusal {
  readonly kind: 'refused';
  readonly reason: string;
}

export type Outcome = CampaignChange | Refusal;

/** Who asks for a change, and when. */
export interface Act {
  readonly organisationId: number;
  readonly now: Date;
}

export const refused = (reason: string): Refusal => ({ kind: 'refused', reason });

/** The change to what is given; the rest stays as it is. */
export function changed(
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

/** Why an organisation may do nothing at all to a campaign; undefined when it may. */
export function strangerRefusal({ record }: ManagedCampaign, { organisationId }: Act): Refusal | undefined {
  if (!isSide(organisationId, record)) {
    return refused(`organisation ${organisationId} is on neither side of the partnership of campaign ${record.id}`);
  }
  return record.isDeleted ? refused(`campaign ${record.id} is deleted`) : undefined;
}
