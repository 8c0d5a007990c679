import type { Campaign, Flow } from '../campaign.ts';

/** One fault of a campaign document, in words that an operator understands. */
export interface CampaignFault {
  /** JSON Pointer into the document. */
  readonly pointer: string;
  readonly code: string;
  readonly message: string;
}

/** What the partnership allows that a campaign is to run under. */
export interface CampaignSettings {
  readonly allowsCashback: boolean;
}

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
export const when = (isWrong: boolean, found: CampaignFault): CampaignFault[] => (isWrong ? [found] : []);

/** A type of campaign with its article, as in "An EARN campaign". */
export const aType = (type: Campaign['type']): string => (type === 'EARN' ? `An ${type}` : `A ${type}`);
