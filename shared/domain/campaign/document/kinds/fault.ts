import type { FlowTrigger } from '../facts.ts';
import type { CampaignType } from './kind.ts';

/** One fault of a campaign document, in words for the person who writes it. */
export interface CampaignFault {
  /** JSON Pointer into the document (RFC 6901). */
  readonly pointer: string;
  readonly code: string;
  /** What is wrong and what to do. */
  readonly message: string;
}

/** Builds a fault. */
export const fault = (pointer: string, code: string, message: string): CampaignFault => ({ pointer, code, message });

/** The fault in a list when something is wrong, otherwise an empty list. */
export const faultIf = (isWrong: boolean, found: CampaignFault): CampaignFault[] => (isWrong ? [found] : []);

/** A campaign type with its article, as in "An EARN campaign". */
export const withArticle = (type: CampaignType): string => (type === 'EARN' ? `An ${type}` : `A ${type}`);

/** What the rules need to know about the partnership that a campaign runs under. */
export interface CampaignSettings {
  readonly allowsCashback: boolean;
  /** The partner, whose program the points belong to. */
  readonly partnerId: number;
  /** The partners that the merchant has a partnership with. Its campaigns may move their points. */
  readonly programs: ReadonlySet<number>;
  /** The triggers of the partnership, active or not. */
  readonly triggers: readonly KnownTrigger[];
}

/** A trigger of a partnership, as far as flows depend on it. */
export interface KnownTrigger {
  readonly customTriggerId: number;
  readonly name: string;
  readonly event: 'CUSTOM' | 'REFERRAL';
  readonly isActive: boolean;
}

/** What the rules for one part of a flow depend on. */
export interface PartContext {
  readonly type: CampaignType;
  readonly trigger: FlowTrigger;
  readonly settings: CampaignSettings;
  /** JSON Pointer of the part. */
  readonly at: string;
}

/** Whether the flow rewards a purchase: only then is money spent. */
export const isPurchase = ({ type, trigger }: Pick<PartContext, 'type' | 'trigger'>): boolean =>
  type !== 'TRANSFER' && trigger.type === 'SPEND';

/** The event of a flow in a message, as in "Nothing is bought at REGISTRATION". */
export const eventInWords = ({ type, trigger }: Pick<PartContext, 'type' | 'trigger'>): string =>
  type === 'TRANSFER' ? 'by a transfer' : `at ${trigger.type}`;
