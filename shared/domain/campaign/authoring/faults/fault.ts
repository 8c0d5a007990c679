import type { Trigger } from '../../../trigger/trigger.ts';
import type { Campaign, Flow } from '../../document/campaign.ts';

/** One fault of a campaign document, in words that an operator understands. */
export interface CampaignFault {
  /** JSON Pointer into the document. */
  readonly pointer: string;
  readonly code: string;
  readonly message: string;
}

/** What is known of the partnership that a campaign is to run under. */
export interface CampaignSettings {
  readonly allowsCashback: boolean;
  /** Whose program its points are of. */
  readonly partnerId: number;
  /** The partners that the merchant has a partnership with: whose points its campaigns may move. */
  readonly programs: ReadonlySet<number>;
  /** What may be sent under it, active or not. */
  readonly triggers: readonly KnownTrigger[];
}

/** A trigger of a partnership, as far as flows depend on it. */
export type KnownTrigger = Pick<Trigger, 'customTriggerId' | 'name' | 'event' | 'isActive'>;

/** A flow with what its rules depend on. */
export interface FlowInDocument {
  readonly flow: Flow;
  readonly type: Campaign['type'];
  readonly settings: CampaignSettings;
  /** JSON Pointer of the flow. */
  readonly at: string;
}

/** Makes a fault. */
export const fault = (pointer: string, code: string, message: string): CampaignFault => ({ pointer, code, message });

/** A fault where something is wrong, and none where it is not. */
export const faultIf = (isWrong: boolean, found: CampaignFault): CampaignFault[] => (isWrong ? [found] : []);

/** A type of campaign with its article, as in "An EARN campaign". */
export const aType = (type: Campaign['type']): string => (type === 'EARN' ? `An ${type}` : `A ${type}`);
