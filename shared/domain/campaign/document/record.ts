import * as z from 'zod/mini';
import { Campaign, type CampaignStatus } from './campaign.ts';

/**
 * What is known of a campaign beside the version that runs: the version that is being worked on, who
 * approved it, and how often anything changed. The version that runs is not touched by work on the next.
 */

const Approval = z.object({ organisationId: z.int(), at: z.string() });

/** A version that nobody but its makers sees yet: DRAFT, or IN_REVIEW while approvals are missing. */
export const CampaignDraft = z.object({
  campaign: Campaign,
  /** Of exactly this document: an edit takes them away. */
  approvals: z.array(Approval),
  /** Why the last review ended without it; kept until the next one begins. */
  rejection: z.nullable(z.object({ organisationId: z.int(), reason: z.string(), at: z.string() })),
});
export type CampaignDraft = z.infer<typeof CampaignDraft>;

export const CampaignRecord = z.object({
  id: z.int(),
  partnershipUuid: z.string(),
  merchantId: z.int(),
  partnerId: z.int(),
  /** The side that made it. */
  ownerId: z.int(),
  /** Counts up with every change: of two that began from the same revision only one is written. */
  revision: z.int().check(z.gte(1)),
  draft: z.nullable(CampaignDraft),
  /** Of no part that ever was: what is counted under an id is never counted for another part. */
  nextPartId: z.int().check(z.gte(1)),
  /** Who paused it, and so may resume it. */
  pausedBy: z.nullable(z.int()),
  isDeleted: z.boolean(),
  createdAt: z.string(),
});
export type CampaignRecord = z.infer<typeof CampaignRecord>;

/** A campaign as those who manage it see it; `live` is the approved version, null until there is one. */
export interface ManagedCampaign {
  readonly record: CampaignRecord;
  readonly live: Campaign | null;
}

/** A version that was approved, as it was then, and by whom: what an award's version number leads to. */
export const ApprovedVersion = z.object({ campaign: Campaign, approvals: z.array(Approval) });
export type ApprovedVersion = z.infer<typeof ApprovedVersion>;

/** The record that goes with a campaign at its beginning. */
export function recordOf(campaign: Campaign, nextPartId: number): CampaignRecord {
  const { id, partnershipUuid, merchantId, partnerId, ownerId, isDeleted, createdAt } = campaign;
  const common = { id, partnershipUuid, merchantId, partnerId, ownerId, isDeleted, createdAt };
  return { ...common, revision: 1, draft: null, nextPartId, pausedBy: null };
}

/** The state as its makers name it: that of the version that runs, otherwise that of the draft. */
export function statusOf({ record, live }: ManagedCampaign): CampaignStatus {
  return live?.status ?? record.draft?.campaign.status ?? 'DRAFT';
}

/** When the clock will change a campaign's state; null where it will not. ISO 8601. */
export interface DueTimes {
  readonly start: string | null;
  readonly end: string | null;
}

/** The instants at which a campaign's state follows its schedule. */
export function dueTimesOf(live: Campaign | null): DueTimes {
  if (live === null || live.isDeleted || live.status === 'ENDED') return { start: null, end: null };
  return { start: live.status === 'SCHEDULED' ? live.startsAt : null, end: live.endsAt };
}

/** The first of these instants, written so that text sorts as time does. */
export function nextDueOf(live: Campaign | null): string | null {
  const { start, end } = dueTimesOf(live);
  const next = start ?? end;
  return next === null ? null : new Date(next).toISOString();
}
