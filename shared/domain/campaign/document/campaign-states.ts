import type { Campaign } from './campaign.ts';

export type CampaignStatus = Campaign['status'];

/**
 * The states of a campaign and the ways from one to the next, as data: what may change is read from
 * here, by the core and by the conditions of the writes.
 */
export const campaignTransitions = {
  /** Straight to the schedule where nobody else has to approve. */
  DRAFT: ['IN_REVIEW', 'SCHEDULED', 'ACTIVE'],
  IN_REVIEW: ['DRAFT', 'SCHEDULED', 'ACTIVE'],
  SCHEDULED: ['ACTIVE', 'ENDED'],
  ACTIVE: ['PAUSED', 'ENDED'],
  PAUSED: ['ACTIVE', 'ENDED'],
  ENDED: [],
} as const satisfies Record<CampaignStatus, readonly CampaignStatus[]>;

export const campaignStates = Object.keys(campaignTransitions) as [CampaignStatus, ...CampaignStatus[]];

/** The states that a campaign may be in for it to become `next`: the condition of that write. */
export function campaignStatesBefore(next: CampaignStatus): CampaignStatus[] {
  return campaignStates.filter((state) => (campaignTransitions[state] as readonly CampaignStatus[]).includes(next));
}
