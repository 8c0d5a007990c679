import { maximumCharacters } from '../../../contracts/limits.ts';
import type { Partnership } from '../../partnership.ts';
import type { Campaign } from '../document/campaign.ts';
import { type CampaignDocument, documentOf } from '../document/document.ts';
import { type ManagedCampaign, recordOf } from '../document/record.ts';
import { isReached } from './lifecycle.ts';
import type { Act } from './outcome.ts';

/** A campaign that begins: its id, and the partnership that it belongs to. */
export interface Beginning extends Act {
  readonly id: number;
  /** The template that it is made from, if it is. */
  readonly templateId?: number | null;
  readonly partnership: Pick<Partnership, 'uuid' | 'merchantId' | 'partnerId'>;
}

/** A new campaign: its first version, as a draft. */
export function draftCampaign(
  { document, nextPartId }: { readonly document: CampaignDocument; readonly nextPartId: number },
  { id, partnership, templateId = null, organisationId, now }: Beginning,
): ManagedCampaign {
  const { uuid: partnershipUuid, merchantId, partnerId } = partnership;
  const campaign: Campaign = {
    ...document,
    id,
    version: 1,
    partnershipUuid,
    merchantId,
    partnerId,
    ownerId: organisationId,
    status: 'DRAFT',
    pauses: [],
    isDeleted: false,
    createdAt: now.toISOString(),
    templateId,
  };
  const draft = { campaign, approvals: [], rejection: null };
  return { record: { ...recordOf(campaign, nextPartId), draft }, live: null };
}

/**
 * A copy of a campaign, as a draft of whoever makes it. The parts stay with their owners, who have to
 * approve the copy as they had the original. A start that is over becomes now; an end that is over stays,
 * and has to be edited before anybody can approve.
 *
 * @returns undefined when there is nothing to copy
 */
export function duplicate(campaign: ManagedCampaign, beginning: Beginning): ManagedCampaign | undefined {
  const original = campaign.live ?? campaign.record.draft?.campaign;
  if (!original) return undefined;
  const { now } = beginning;
  const document: CampaignDocument = {
    ...documentOf(original),
    name: `Copy of ${original.name}`.slice(0, maximumCharacters.text),
    startsAt: isReached(original.startsAt, now) ? now.toISOString() : original.startsAt,
  };
  return draftCampaign(
    { document, nextPartId: campaign.record.nextPartId },
    { ...beginning, templateId: original.templateId },
  );
}
