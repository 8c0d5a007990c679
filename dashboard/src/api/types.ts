import type { KnownTrigger } from '../../../shared/domain/campaign/document/kinds/kind.ts';
import type { RegisteredAttribute, StatusTier } from '../../../shared/domain/registry/registry.ts';
import type { StaffRole } from '../../../shared/domain/staff/roles.ts';

/** What the management host replies. */

export type Role = StaffRole;

/** An organisation for which the person works. */
export interface Membership {
  readonly id: number;
  readonly name: string;
  readonly roles: readonly Role[];
  readonly permissions: readonly string[];
}

/** An open invitation of the signed-in person. */
export interface OwnInvitation {
  readonly id: string;
  /** Name of the organisation. */
  readonly name: string;
  readonly roles: readonly Role[];
}

export interface Session {
  readonly person: { readonly id: string; readonly name: string; readonly email: string };
  readonly organisations: readonly Membership[];
  /** What the person is invited to, the oldest first. */
  readonly invitations: readonly OwnInvitation[];
  /** Whether nothing here is real money. */
  readonly isSandbox: boolean;
}

export interface Named {
  readonly id: number;
  readonly name: string;
}

export type CampaignType = 'EARN' | 'REDEEM' | 'TRANSFER' | 'CONNECT_ONLY';
export type CampaignStatus = 'DRAFT' | 'IN_REVIEW' | 'SCHEDULED' | 'ACTIVE' | 'PAUSED' | 'ENDED';

export interface PartnershipView {
  readonly uuid: string;
  readonly name: string;
  readonly merchant: Named;
  readonly partner: Named;
  readonly time_zone: string;
}

export interface TriggerView {
  readonly custom_trigger_id: number;
  readonly name: string;
  readonly event: KnownTrigger['event'];
  readonly is_active: boolean;
  readonly context_schema: KnownTrigger['contextSchema'];
}

/** A partnership in the list of an organisation, with the settings on which campaigns depend. */
export interface PartnershipDetails extends PartnershipView {
  readonly allows_cashback: boolean;
  readonly programs: readonly Named[];
  readonly triggers: readonly TriggerView[];
  readonly attributes: readonly RegisteredAttribute[];
  readonly tiers: readonly StatusTier[];
}

/** What a campaign gave until now, without what was taken back. */
interface TotalsView {
  readonly earned_points: number;
  readonly redeemed_points: number;
  readonly cashback_cents: number;
  readonly transactions: number;
  readonly registrations: number;
}

/** A goal of a campaign, and how much of it is reached. */
export interface GoalView {
  readonly type: string;
  readonly target: number;
  readonly current: number;
  readonly is_reached: boolean;
}

/** A campaign in a list. */
export interface CampaignSummary {
  readonly id: number;
  /** Increases with every change. */
  readonly revision: number;
  readonly name: string;
  readonly type: CampaignType;
  readonly status: CampaignStatus;
  readonly partnership: PartnershipView;
  readonly starts_at: string | null;
  readonly ends_at: string | null;
  /** Whether a next version is written, or in review, beside a live one. */
  readonly has_next_version: boolean;
  /** How many faults keep the draft from approval. */
  readonly faults: number;
  /** Whether a version was sent to review, and approvals are missing. */
  readonly is_in_review: boolean;
  /** Whether a review waits for the approval of the person's organisation. */
  readonly is_waiting_for_you: boolean;
  /** The organisations whose approval is missing. */
  readonly waits_for: readonly Named[];
  readonly points: number;
  readonly totals: TotalsView;
  readonly goals: readonly GoalView[];
}

export type ActName = 'submit' | 'approve' | 'reject' | 'pause' | 'resume' | 'activate' | 'end' | 'discard';

/** An act on a campaign, and why the person cannot do it now. */
export interface ActView {
  readonly act: ActName | 'edit' | 'delete' | 'duplicate' | 'create_template';
  readonly is_allowed: boolean;
  readonly reason: string | null;
}

export interface ApprovalView {
  readonly organisation: Named;
  readonly person: string | null;
  readonly at: string;
}

/** A value that differs between the live version and the next one, in words. */
interface DifferenceView {
  readonly pointer: string;
  readonly label: string;
  readonly old: string | null;
  readonly new: string | null;
}

export interface VersionView {
  readonly version: number;
  readonly approved_at: string | null;
  readonly approvals: readonly ApprovalView[];
  readonly differences: readonly DifferenceView[];
}

export interface FaultView {
  readonly pointer: string;
  readonly code: string;
  readonly message: string;
}

/** A campaign as its organisations manage it. */
export interface CampaignView extends CampaignSummary {
  /** Who changed it last; null when the clock did. */
  readonly changed: ApprovalView | null;
  readonly draft: {
    readonly document: unknown;
    readonly approvals: readonly ApprovalView[];
    readonly rejection: { readonly organisation: Named; readonly reason: string; readonly at: string } | null;
    readonly faults: readonly FaultView[];
    readonly differences: readonly DifferenceView[];
  } | null;
  readonly live: { readonly document: unknown; readonly version: number; readonly status: CampaignStatus } | null;
  readonly acts: readonly ActView[];
  readonly versions: readonly VersionView[];
}

/** What an organisation did with a campaign. */
export interface CampaignEntryView extends ApprovalView {
  readonly act: ActView['act'] | 'create';
  readonly reason: string | null;
  /** The revision of the campaign after the act. */
  readonly revision: number;
}

export interface TemplateView {
  readonly id: number;
  readonly name: string;
  readonly description: string | null;
  readonly type: CampaignType;
  /** Null for a template that the platform offers. */
  readonly owner: Named | null;
  readonly document: unknown;
}

export interface PersonView {
  readonly id: string;
  readonly name: string | null;
  readonly email: string;
  readonly roles: readonly Role[];
  readonly revision: number;
  readonly created_at: string;
}

export interface InvitationView {
  readonly id: string;
  readonly email: string;
  readonly roles: readonly Role[];
  readonly revision: number;
  readonly expires_at: string;
}

export interface OrganisationView {
  readonly id: number;
  readonly name: string;
  readonly kind: 'MERCHANT' | 'PARTNER';
  readonly four_eyes: boolean;
  readonly revision: number;
}

type Snapshot = Readonly<Record<string, unknown>> | null;

export interface AuditEntry {
  readonly id: string;
  readonly at: string;
  /** Who did it; null for a person who was removed. */
  readonly person: { readonly id: string; readonly name: string | null; readonly email: string } | null;
  readonly roles: readonly Role[];
  readonly act: string;
  readonly outcome: 'done' | 'refused';
  readonly what: string;
  readonly change: { readonly before: Snapshot; readonly after: Snapshot } | null;
}
