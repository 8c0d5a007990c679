import type { CampaignChange, Outcome } from '../../shared/domain/campaign/authoring/lifecycle.ts';
import {
  type Action,
  type Campaign,
  type CampaignDocument,
  type CampaignDraft,
  documentOf,
  type ManagedCampaign,
  recordOf,
} from '../../shared/domain/campaign/document/campaign.ts';
import { firstFreeId } from '../../shared/domain/campaign/document/tree.ts';
import { aCampaign, aFlow, earning } from './fixtures.ts';

/** Campaigns of a merchant (1) and a partner (2), in every state. The time is noon. */

export const merchant = 1;
export const partner = 2;
export const stranger = 3;

const awardOf = (ownerId: number, id: number): Action => ({ ...earning(10_000, id), ownerId });

/** A campaign in which both sides own an action. */
export const shared = (more: Partial<Campaign> = {}): Campaign =>
  aCampaign({ flows: [aFlow([awardOf(merchant, 2), awardOf(partner, 3)])], ...more });

/** A campaign in which the merchant owns every part. It awards the partner's points. */
export const byMerchantAlone = (more: Partial<Campaign> = {}): Campaign =>
  aCampaign({ flows: [aFlow([awardOf(merchant, 2)])], ownerId: merchant, ...more });

/** A campaign in which the partner owns every part. */
export const own = (more: Partial<Campaign> = {}): Campaign =>
  aCampaign({ flows: [aFlow([awardOf(partner, 2)])], ...more });

/** An approved campaign; `draft` is its next version. */
export function approved(live: Campaign, draft: CampaignDraft | null = null): ManagedCampaign {
  return { record: { ...recordOf(live, firstFreeId(live)), draft }, live };
}

/** A campaign that was never approved. */
export function drafted(campaign: Campaign, approvals: readonly number[] = []): ManagedCampaign {
  return { record: { ...recordOf(campaign, firstFreeId(campaign)), draft: draftOf(campaign, approvals) }, live: null };
}

export function draftOf(campaign: Campaign, approvals: readonly number[] = []): CampaignDraft {
  const given = approvals.map((organisationId) => ({ organisationId, at: campaign.createdAt }));
  return { campaign, approvals: given, rejection: null };
}

/** A campaign whose next version differs in the given fields. */
export function edited(live: Campaign, more: Partial<Campaign>, approvals: readonly number[] = []): ManagedCampaign {
  return approved(live, draftOf({ ...live, version: live.version + 1, status: 'IN_REVIEW', ...more }, approvals));
}

export function asDocument(campaign: Campaign, more: Partial<CampaignDocument> = {}): CampaignDocument {
  return { ...documentOf(campaign), ...more };
}

/** Returns the outcome if it is a change. Throws for any other outcome. */
export function written(outcome: Outcome | undefined): CampaignChange {
  if (outcome?.kind !== 'changed') throw new Error(outcome?.reason ?? 'nothing changed');
  return outcome;
}

/** Returns the reason of a refusal, or undefined. */
export function reasonOf(outcome: Outcome): string | undefined {
  return outcome.kind === 'refused' ? outcome.reason : undefined;
}
