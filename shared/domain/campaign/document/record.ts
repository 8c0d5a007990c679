import * as z from 'zod/mini';
import { Campaign, type CampaignStatus } from './campaign.ts';

/**
 * The record of a campaign beside its live version: the next version in progress, its approvals, and the
 * number of changes. Work on the next version leaves the live one as it is.
 */

const Approval = z.object({ organisationId: z.int(), at: z.string() });

/** A version that only its two sides see: DRAFT, or IN_REVIEW while approvals are missing. */
export const CampaignDraft = z.object({
  campaign: Campaign,
  /** For exactly this document: an edit removes them. */
  approvals: z.array(Approval),
  /** Why the last review ended without approval; kept until the next one begins. */
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
  /** Increases with every change. Of two changes that begin from one revision, only one is written. */
  revision: z.int().check(z.gte(1)),
  draft: z.nullable(CampaignDraft),
  /** An id that no part ever had, because the use of a limit is counted by its id. */
  nextPartId: z.int().check(z.gte(1)),
  /** The organisation that paused it, which alone may resume it. */
  pausedBy: z.nullable(z.int()),
  isDeleted: z.boolean(),
  createdAt: z.string(),
});
export type CampaignRecord = z.infer<typeof CampaignRecord>;

/** A campaign as its two sides manage it. `live` is the approved version; null until there is one. */
export interface ManagedCampaign {
  readonly record: CampaignRecord;
  readonly live: Campaign | null;
}

/** A version as it was approved, with its approvals. The version number of an award refers to it. */
export const ApprovedVersion = z.object({ campaign: Campaign, approvals: z.array(Approval) });
export type ApprovedVersion = z.infer<typeof ApprovedVersion>;

/** The record of a new campaign. */
export function recordOf(campaign: Campaign, nextPartId: number): CampaignRecord {
  const { id, partnershipUuid, merchantId, partnerId, ownerId, isDeleted, createdAt } = campaign;
  const common = { id, partnershipUuid, merchantId, partnerId, ownerId, isDeleted, createdAt };
  return { ...common, revision: 1, draft: null, nextPartId, pausedBy: null };
}

/** The status of the live version, otherwise of the draft. */
export function statusOf({ record, live }: ManagedCampaign): CampaignStatus {
  return live?.status ?? record.draft?.campaign.status ?? 'DRAFT';
}

/** When the clock changes the status of a campaign; null when it does not. ISO 8601. */
export interface DueTimes {
  readonly start: string | null;
  readonly end: string | null;
}

/** The instants at which the schedule changes a campaign's status. */
export function dueTimesOf(live: Campaign | null): DueTimes {
  if (live === null || live.isDeleted || live.status === 'ENDED') return { start: null, end: null };
  return { start: live.status === 'SCHEDULED' ? live.startsAt : null, end: live.endsAt };
}

/** The first of these instants in UTC, so that text sorts like time. */
export function nextDueOf(live: Campaign | null): string | null {
  const { start, end } = dueTimesOf(live);
  const next = start ?? end;
  return next === null ? null : new Date(next).toISOString();
}
