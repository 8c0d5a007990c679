import { maximumCharacters } from '../../../contracts/limits.ts';
import type { Partnership } from '../../partnership.ts';
import type { Campaign } from '../document/campaign.ts';
import { type CampaignDocument, documentOf, type ManagedCampaign, recordOf } from '../document/campaign.ts';
import type { Template } from '../document/template.ts';
import { firstFreeId, ownedBy } from '../document/tree.ts';
import type { Act } from './lifecycle.ts';
import { isReached } from './lifecycle.ts';

/** How campaigns and templates come to be: from a document, a copy or a template. */

/** What a new campaign needs beside its document. */
export interface Beginning extends Act {
  readonly id: number;
  /** The template that the campaign is made from; null or absent without one. */
  readonly templateId?: number | null;
  readonly partnership: Pick<Partnership, 'uuid' | 'merchantId' | 'partnerId'>;
}

/** Makes a campaign from a document: its first version, as a draft. */
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
 * Copies a campaign as a draft of the organisation that asks. The parts keep their owners, who have to approve
 * the copy as they did the original. A start in the past becomes now. An end in the past stays, and has to be
 * edited before the copy can be approved.
 *
 * @returns undefined when the campaign has no document
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

/** Makes a template from a campaign. The organisation that makes it owns all of its parts. */
export function templateOf(
  campaign: Campaign,
  { id, organisationId, now }: Pick<Beginning, 'id' | 'organisationId' | 'now'>,
): Template {
  const { name, description, logo, type, flows, goals, templateId } = campaign;
  const isMerchant = campaign.merchantId === organisationId;
  return {
    ...ownedBy({ flows, goals }, organisationId),
    id,
    name,
    description,
    logo,
    type,
    templateId,
    ownerId: organisationId,
    merchantId: isMerchant ? organisationId : null,
    partnerId: isMerchant ? null : organisationId,
    createdAt: now.toISOString(),
  };
}

/**
 * Makes a draft from a template. The organisation that makes it owns all of its parts. The campaign starts with
 * the last approval and has no end.
 */
export function campaignFrom(template: Template, beginning: Beginning): ManagedCampaign {
  const { name, description, logo, type, flows, goals } = template;
  const document: CampaignDocument = {
    ...ownedBy({ flows, goals }, beginning.organisationId),
    name,
    description,
    logo,
    type,
    startsAt: beginning.now.toISOString(),
    endsAt: null,
  };
  return draftCampaign({ document, nextPartId: firstFreeId(template) }, { ...beginning, templateId: template.id });
}
