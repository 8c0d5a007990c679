/** What the management host replies. */

export type Role = 'owner' | 'editor' | 'approver' | 'analyst' | 'developer';

/** An organisation for which the person works. */
export interface Membership {
  readonly id: number;
  readonly name: string;
  readonly roles: readonly Role[];
  readonly permissions: readonly string[];
}

export interface Session {
  readonly person: { readonly id: string; readonly name: string; readonly email: string };
  readonly organisations: readonly Membership[];
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
  readonly merchant: Named;
  readonly partner: Named;
  readonly time_zone: string;
}

/** A campaign in a list. */
export interface CampaignSummary {
  readonly id: number;
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
  /** Whether a review is open in which the person can approve for the organisation, and has not. */
  readonly is_waiting_for_you: boolean;
  /** The organisations whose approval is missing. */
  readonly waits_for: readonly Named[];
  readonly points: number;
}

export type ActName = 'approve' | 'reject' | 'pause' | 'resume' | 'activate' | 'end' | 'discard';

/** An act on a campaign, and why the person cannot do it now. */
export interface ActView {
  readonly act: ActName | 'edit' | 'delete' | 'duplicate';
  readonly is_allowed: boolean;
  readonly reason: string | null;
}

export interface ApprovalView {
  readonly organisation: Named;
  readonly person: string | null;
  readonly at: string;
}

/** A value that differs between the live version and the next one, in words. */
export interface DifferenceView {
  readonly pointer: string;
  readonly label: string;
  readonly old: string | null;
  readonly new: string | null;
}

export interface VersionView {
  readonly version: number;
  readonly approved_at: string;
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
  readonly revision: number;
  readonly draft: {
    readonly document: unknown;
    readonly approvals: readonly ApprovalView[];
    readonly rejection: { readonly organisation: Named; readonly reason: string; readonly at: string } | null;
    readonly faults: readonly FaultView[];
    readonly differences: readonly DifferenceView[];
  } | null;
  readonly live: { readonly document: unknown; readonly version: number } | null;
  readonly acts: readonly ActView[];
  readonly versions: readonly VersionView[];
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
