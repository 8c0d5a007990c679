import { may } from '../api/session.ts';
import type { CampaignStatus, CampaignSummary, CampaignType, Membership } from '../api/types.ts';
import type { Tone } from './tone.ts';

/** The words of campaigns: the server's states and types, as people read them. */

export const typeWords: Readonly<Record<CampaignType, string>> = {
  EARN: 'Earn',
  REDEEM: 'Redeem',
  TRANSFER: 'Transfer',
  CONNECT_ONLY: 'Connect only',
};

export interface StatusWords {
  readonly label: string;
  readonly tone: Tone;
  /** Whether it is not in effect: not yet, or not any more. */
  readonly isHollow: boolean;
}

export const statusWords: Readonly<Record<CampaignStatus, StatusWords>> = {
  DRAFT: { label: 'Draft', tone: 'neutral', isHollow: true },
  IN_REVIEW: { label: 'In review', tone: 'accent', isHollow: true },
  SCHEDULED: { label: 'Scheduled', tone: 'accent', isHollow: false },
  ACTIVE: { label: 'Active', tone: 'good', isHollow: false },
  PAUSED: { label: 'Paused', tone: 'attention', isHollow: false },
  ENDED: { label: 'Ended', tone: 'neutral', isHollow: false },
};

/** Whether a review waits for an approval that the person may give for the organisation. */
export const isWaitingFor = (campaign: CampaignSummary, organisation: Membership): boolean =>
  campaign.is_waiting_for_you && may(organisation, 'campaigns:approve');
