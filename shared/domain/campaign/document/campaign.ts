import * as z from 'zod/mini';
import { Instant, timeOf } from '../../period.ts';
import { FlowTrigger } from './facts.ts';
import { campaignTypes } from './kinds/kind.ts';
import { Action, ConditionGroup, Goal, Limit, Multiplier } from './parts.ts';

/** One rule of a campaign: which event it rewards, for which members, and how much. */
export const Flow = z.strictObject({
  id: z.int(),
  trigger: FlowTrigger,
  actions: z.array(Action),
  /** All groups have to hold. Without groups every member qualifies. */
  conditionGroups: z._default(z.array(ConditionGroup), []),
  multipliers: z._default(z.array(Multiplier), []),
  limits: z._default(z.array(Limit), []),
  /** Whether a refund tests conditions and minimums again for the amount that is left. */
  reevaluateOnRefund: z._default(z.boolean(), false),
});
export type Flow = z.infer<typeof Flow>;

/**
 * The states of a campaign and the states that follow each, as data. The core and the conditions of the
 * writes are both made from it.
 */
export const campaignTransitions = {
  /** Straight to SCHEDULED or ACTIVE when no other organisation has to approve. */
  DRAFT: ['IN_REVIEW', 'SCHEDULED', 'ACTIVE'],
  IN_REVIEW: ['DRAFT', 'SCHEDULED', 'ACTIVE'],
  SCHEDULED: ['ACTIVE', 'ENDED'],
  ACTIVE: ['PAUSED', 'ENDED'],
  PAUSED: ['ACTIVE', 'ENDED'],
  ENDED: [],
} as const satisfies Readonly<Record<string, readonly string[]>>;

const campaignStatuses = ['DRAFT', 'IN_REVIEW', 'SCHEDULED', 'ACTIVE', 'PAUSED', 'ENDED'] as const;
export type CampaignStatus = (typeof campaignStatuses)[number];

/** The states from which a campaign can become `next`: the condition of that write. */
export function campaignStatesBefore(next: CampaignStatus): CampaignStatus[] {
  return campaignStatuses.filter((state) => {
    const following: readonly CampaignStatus[] = campaignTransitions[state];
    return following.includes(next);
  });
}

/** A time in which a campaign rewards nothing: from the first instant up to, and without, the second. */
const Pause = z.object({ from: Instant, to: z.nullable(Instant) });
export type Pause = z.infer<typeof Pause>;

/** A campaign: what is rewarded, by how much, from when to when. */
export const Campaign = z.object({
  id: z.int(),
  /** Increases with every approved edit. An award names the version that it was made under. */
  version: z.int().check(z.gte(1)),
  partnershipUuid: z.string(),
  merchantId: z.int(),
  partnerId: z.int(),
  ownerId: z.int(),
  name: z.string(),
  description: z.nullable(z.string()),
  logo: z.nullable(z.string()),
  type: z.enum(campaignTypes),
  status: z.enum(campaignStatuses),
  /** The campaign runs from this instant on. */
  startsAt: Instant,
  /** The campaign runs up to, and without, this instant. Null: until a person ends it. */
  endsAt: z.nullable(Instant),
  /** In order of time. The last one goes on while it has no end. */
  pauses: z._default(z.array(Pause), []),
  isDeleted: z.boolean(),
  createdAt: z.string(),
  flows: z.array(Flow),
  goals: z._default(z.array(Goal), []),
  /** The template that the campaign was made from. */
  templateId: z._default(z.nullable(z.int()), null),
});
export type Campaign = z.infer<typeof Campaign>;

/** Whether other organisations see the campaign: not before it is approved, nor after it is deleted. */
export function isListed({ status, isDeleted }: Campaign): boolean {
  return !isDeleted && status !== 'DRAFT' && status !== 'IN_REVIEW';
}

/**
 * Whether the campaign rewards an event at an instant. The schedule and the pauses decide, not the state: the
 * state follows the clock with a delay, and an event from before a pause or the end may arrive after it.
 */
export function isRunning(campaign: Campaign, at: Date): boolean {
  const time = at.getTime();
  if (!isListed(campaign) || time < timeOf(campaign.startsAt)) return false;
  const isOver = campaign.endsAt === null ? campaign.status === 'ENDED' : time >= timeOf(campaign.endsAt);
  return !isOver && !isPaused(campaign, time);
}

/** Whether a pause covers a time. A PAUSED campaign without an open pause is paused at all times. */
function isPaused({ status, pauses }: Campaign, time: number): boolean {
  if (status === 'PAUSED' && pauses.at(-1)?.to !== null) return true;
  return pauses.some(({ from, to }) => time >= timeOf(from) && (to === null || time < timeOf(to)));
}

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

/** The part of a campaign that a person writes. The platform adds the ids, the sides, the version and the state. */
export const CampaignDocument = z.omit(Campaign, {
  id: true,
  version: true,
  partnershipUuid: true,
  merchantId: true,
  partnerId: true,
  ownerId: true,
  status: true,
  pauses: true,
  isDeleted: true,
  createdAt: true,
  templateId: true,
});
export type CampaignDocument = z.infer<typeof CampaignDocument>;

/** The document of a campaign. */
export function documentOf(campaign: Campaign): CampaignDocument {
  return CampaignDocument.parse(campaign);
}
