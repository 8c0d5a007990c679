import { maximumCharacters } from '../../../contracts/limits.ts';
import type { Partnership } from '../../partnership.ts';
import type { Campaign } from '../document/campaign.ts';
import { type CampaignDocument, documentOf, type ManagedCampaign, recordOf } from '../document/campaign.ts';
import type { Template } from '../document/template.ts';
import { firstFreeId, ownedBy } from '../document/tree.ts';
import type { ChangeContext } from './lifecycle.ts';
import { isReached, sign } from './lifecycle.ts';

/** Makes campaigns from documents, campaigns and templates, and templates from campaigns. */

/** The data of a new campaign that its document does not contain. */
export interface NewCampaignContext extends ChangeContext {
  readonly id: number;
  /** The template that the campaign is made from; null or absent without one. */
  readonly templateId?: number | null;
  readonly partnership: Pick<Partnership, 'uuid' | 'merchantId' | 'partnerId'>;
}

/** Makes a campaign from a document. Its first version is a draft. */
export function draftCampaign(
  { document, nextPartId }: { readonly document: CampaignDocument; readonly nextPartId: number },
  context: NewCampaignContext,
): ManagedCampaign {
  const { id, partnership, templateId = null, organisationId, now } = context;
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
  const changed = sign(context);
  const draft = { campaign, approvals: [], rejection: null, changed };
  return { record: { ...recordOf(campaign, nextPartId), draft, changed }, live: null };
}

/**
 * Copies a campaign as a draft of the organisation that asks. The parts keep their owners, who have to approve
 * the copy. A start in the past becomes now. An end in the past stays: it has to be edited before the copy can be
 * approved.
 *
 * @returns undefined when the campaign has no document
 */
export function duplicate(campaign: ManagedCampaign, context: NewCampaignContext): ManagedCampaign | undefined {
  const original = campaign.live ?? campaign.record.draft?.campaign;
  if (!original) return undefined;
  const { now } = context;
  const document: CampaignDocument = {
    ...documentOf(original),
    name: `Copy of ${original.name}`.slice(0, maximumCharacters.text),
    startsAt: isReached(original.startsAt, now) ? now.toISOString() : original.startsAt,
  };
  return draftCampaign(
    { document, nextPartId: campaign.record.nextPartId },
    { ...context, templateId: original.templateId },
  );
}

/** Makes a template from a campaign. The organisation that makes the template owns all parts of the template. */
export function toTemplate(
  campaign: Campaign,
  { id, organisationId, now }: Pick<NewCampaignContext, 'id' | 'organisationId' | 'now'>,
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
 * Makes a draft from a template. The organisation that makes the draft owns all parts of the draft. The campaign starts
 * when the last organisation approves it, and has no end.
 */
export function fromTemplate(template: Template, context: NewCampaignContext): ManagedCampaign {
  const { name, description, logo, type, flows, goals } = template;
  const document: CampaignDocument = {
    ...ownedBy({ flows, goals }, context.organisationId),
    name,
    description,
    logo,
    type,
    startsAt: context.now.toISOString(),
    endsAt: null,
  };
  return draftCampaign({ document, nextPartId: firstFreeId(template) }, { ...context, templateId: template.id });
}
