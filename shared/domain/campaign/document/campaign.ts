import * as z from 'zod/mini';
import { memoizeObject } from '../../memoize.ts';
import { Instant, timeOf } from '../../period.ts';
import { FlowTrigger } from './facts.ts';
import type { ActionKind } from './kinds/actions.ts';
import type { CountedTotals, GoalKind } from './kinds/goals.ts';
import { type ConditionKind, campaignTypes, kindsByName, part } from './kinds/kind.ts';
import type { LimitKind } from './kinds/limits.ts';
import type { MultiplierKind } from './kinds/multipliers.ts';
import { actionKinds, conditionKinds, goalKinds, limitKinds, multiplierKinds, triggerKinds } from './kinds/registry.ts';
import type { TriggerKind } from './kinds/triggers.ts';
import { unionOf } from './kinds/union.ts';

/**
 * The schemas of a campaign's parts, and a lookup of each part's kind. All are derived from the lists in
 * kinds/registry.ts.
 */

export const Condition = unionOf('attribute', conditionKinds);
export type Condition = z.infer<typeof Condition>;
export const conditionKind = kindsByName<ConditionKind>(conditionKinds);

export const triggerKind = kindsByName<TriggerKind>(triggerKinds);

/** A group of conditions: any of them, or all of them, have to hold. */
export const ConditionGroup = z.strictObject({
  id: z.int(),
  logic: z._default(z.enum(['ANY', 'ALL']), 'ANY'),
  conditions: z.array(Condition).check(z.minLength(1)),
});
export type ConditionGroup = z.infer<typeof ConditionGroup>;

export const Action = unionOf('kind', actionKinds);
export type Action = z.infer<typeof Action>;
export const actionKind = kindsByName<ActionKind>(actionKinds);

export const Multiplier = unionOf('attribute', multiplierKinds);
export type Multiplier = z.infer<typeof Multiplier>;
export const multiplierKind = kindsByName<MultiplierKind>(multiplierKinds);

export const Limit = unionOf('kind', limitKinds);
export type Limit = z.infer<typeof Limit>;
export const limitKind = kindsByName<LimitKind>(limitKinds);

/** A target for the totals of a campaign. */
export const Goal = z.strictObject({
  ...part,
  type: z.enum(goalKinds.map(({ name }) => name)),
  target: z.int().check(z.gte(1)),
});
export type Goal = z.infer<typeof Goal>;
export const goalKind = kindsByName<GoalKind>(goalKinds);

/** One rule of a campaign: which event it rewards, for which members, and how much. */
export const Flow = z.strictObject({
  id: z.int(),
  trigger: FlowTrigger,
  actions: z.array(Action),
  /** All groups have to hold. Without groups every member qualifies. */
  conditionGroups: z._default(z.array(ConditionGroup), []),
  multipliers: z._default(z.array(Multiplier), []),
  limits: z._default(z.array(Limit), []),
  /** Whether a refund tests conditions and minimums again, for the amount that is left after the refund. */
  reevaluateOnRefund: z._default(z.boolean(), false),
});
export type Flow = z.infer<typeof Flow>;

/**
 * The states of a campaign, and the states that may follow each. The lifecycle and the conditions of writes are
 * both derived from this table.
 */
export const campaignTransitions = {
  /** A draft becomes SCHEDULED or ACTIVE directly when no other organisation has to approve. */
  DRAFT: ['IN_REVIEW', 'SCHEDULED', 'ACTIVE'],
  IN_REVIEW: ['DRAFT', 'SCHEDULED', 'ACTIVE'],
  SCHEDULED: ['ACTIVE', 'ENDED'],
  ACTIVE: ['PAUSED', 'ENDED'],
  PAUSED: ['ACTIVE', 'ENDED'],
  ENDED: [],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export const campaignStatuses = ['DRAFT', 'IN_REVIEW', 'SCHEDULED', 'ACTIVE', 'PAUSED', 'ENDED'] as const;
export type CampaignStatus = (typeof campaignStatuses)[number];

/** The states from which a campaign can become `next`, as the condition of the write. */
export function campaignStatesBefore(next: CampaignStatus): CampaignStatus[] {
  return campaignStatuses.filter((state) => {
    const following: readonly CampaignStatus[] = campaignTransitions[state];
    return following.includes(next);
  });
}

/** A period in which a campaign rewards no event. It includes the instant `from` and excludes the instant `to`. */
const Pause = z.object({ from: Instant, to: z.nullable(Instant) });
export type Pause = z.infer<typeof Pause>;

/** A campaign: its schedule, and the flows that reward events. */
export const Campaign = z.object({
  id: z.int(),
  /** Increases with every approved edit. An award records the version that decided it. */
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
  /** The campaign ends at this instant, which is excluded. Null: it runs until an organisation ends it. */
  endsAt: z.nullable(Instant),
  /** Sorted by time. Only the last pause may have no end yet. */
  pauses: z._default(z.array(Pause), []),
  isDeleted: z.boolean(),
  createdAt: z.string(),
  flows: z.array(Flow),
  goals: z._default(z.array(Goal), []),
  /** The template that the campaign was made from. */
  templateId: z._default(z.nullable(z.int()), null),
});
export type Campaign = z.infer<typeof Campaign>;

/**
 * Whether lists show the campaign, and whether it may reward events that happened while it ran. True from its first
 * approval until its deletion.
 */
export function isListed({ status, isDeleted }: Campaign): boolean {
  return !isDeleted && status !== 'DRAFT' && status !== 'IN_REVIEW';
}

/**
 * Whether the campaign rewards an event that happened at an instant. The schedule and the pauses decide. The status
 * cannot decide: it changes some time after the scheduled instant, and an event that happened before a pause may arrive
 * during the pause.
 */
export function isRunning(campaign: Campaign, at: Date | number): boolean {
  const time = Number(at);
  const { startsMs, endsMs } = timesOf(campaign);
  if (!isListed(campaign) || time < startsMs) return false;
  const isOver = endsMs === null ? campaign.status === 'ENDED' : time >= endsMs;
  return !isOver && !isPaused(campaign, time);
}

/** The scheduled times of a version, in milliseconds since 1970. */
const timesOf = memoizeObject(({ startsAt, endsAt }: Pick<Campaign, 'startsAt' | 'endsAt'>) => ({
  startsMs: timeOf(startsAt),
  endsMs: endsAt === null ? null : timeOf(endsAt),
}));

/**
 * Whether the campaign is paused at a time. A PAUSED campaign counts as paused at all times if its last pause has an
 * end, or if it has no pauses.
 */
function isPaused({ status, pauses }: Campaign, time: number): boolean {
  if (status === 'PAUSED' && pauses.at(-1)?.to !== null) return true;
  return pauses.some(({ from, to }) => time >= timeOf(from) && (to === null || time < timeOf(to)));
}

/**
 * A campaign is stored as two items: the live version, and a record. The record contains the next version and the
 * approvals of the next version, and counts all changes. Work on the next version does not change the live version.
 */

/**
 * The organisation that did something, the person who did it for the organisation, and when. `operator` is the proven
 * identity of the person; absent for seeds and tests. `staffId` is the person's id, if it was done at the dashboard.
 */
export const CampaignSignature = z.object({
  organisationId: z.int(),
  operator: z.optional(z.string()),
  staffId: z.optional(z.string()),
  at: z.string(),
});
export type CampaignSignature = z.infer<typeof CampaignSignature>;

/** A version that only the two sides of the campaign see: DRAFT, or IN_REVIEW while approvals are missing. */
export const CampaignDraft = z.object({
  campaign: Campaign,
  /** Approvals of exactly this document. An edit removes them. */
  approvals: z.array(CampaignSignature),
  /** Why the last review ended without approval. The next review removes it. */
  rejection: z.nullable(z.extend(CampaignSignature, { reason: z.string() })),
  /** Who changed this document last; absent in drafts of earlier releases. */
  changed: z.optional(CampaignSignature),
});
export type CampaignDraft = z.infer<typeof CampaignDraft>;

export const CampaignRecord = z.object({
  id: z.int(),
  partnershipUuid: z.string(),
  merchantId: z.int(),
  partnerId: z.int(),
  /** The organisation that made the campaign. */
  ownerId: z.int(),
  /** Increases with every change. When two changes are based on the same revision, only one is written. */
  revision: z.int().check(z.gte(1)),
  draft: z.nullable(CampaignDraft),
  /** The next free id for a part. An id is never used again, because ids identify the counters of limits. */
  nextPartId: z.int().check(z.gte(1)),
  /** The organisation that paused the campaign. No other organisation may resume it. */
  pausedBy: z.nullable(z.int()),
  /** Who made the last change; null when the clock made it, absent in records of earlier releases. */
  changed: z.optional(z.nullable(CampaignSignature)),
  isDeleted: z.boolean(),
  createdAt: z.string(),
});
export type CampaignRecord = z.infer<typeof CampaignRecord>;

/** A campaign as its two sides manage it. `live` is the approved version; null before the first approval. */
export interface ManagedCampaign {
  readonly record: CampaignRecord;
  readonly live: Campaign | null;
}

/** An approved version, with its approvals. Awards refer to the version by its number. */
export const ApprovedVersion = z.object({ campaign: Campaign, approvals: z.array(CampaignSignature) });
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

/**
 * The scheduled start and end of a campaign, ISO 8601. Each is null if it was never scheduled or is processed already.
 */
export interface DueTimes {
  readonly start: string | null;
  readonly end: string | null;
}

/** The instants at which the schedule changes a campaign's status. */
export function dueTimesOf(live: Campaign | null): DueTimes {
  if (live === null || live.isDeleted || live.status === 'ENDED') return { start: null, end: null };
  return { start: live.status === 'SCHEDULED' ? live.startsAt : null, end: live.endsAt };
}

/** The next instant of {@link dueTimesOf}, in UTC, so that the texts sort by time. */
export function nextDueOf(live: Campaign | null): string | null {
  const { start, end } = dueTimesOf(live);
  const next = start ?? end;
  return next === null ? null : new Date(next).toISOString();
}

/** The fields of a campaign that an organisation writes. The platform sets all other fields. */
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

/** The progress towards a goal. */
export interface GoalProgress {
  readonly goal: Goal;
  /** The campaign's total that the goal counts. */
  readonly current: number;
  readonly isReached: boolean;
}

/** Compares the goals of a campaign with its totals. */
export function measureProgress(goals: readonly Goal[], totals: CountedTotals): GoalProgress[] {
  return goals.map((goal) => {
    const current = goalKind(goal.type).current(totals);
    return { goal, current, isReached: current >= goal.target };
  });
}
