import type { Campaign } from '../document/campaign.ts';
import type { CampaignDocument } from '../document/document.ts';
import { firstFreeId, ownedBy } from '../document/parts.ts';
import type { ManagedCampaign } from '../document/record.ts';
import type { Template } from '../document/template.ts';
import { type Beginning, draftCampaign } from './new-campaign.ts';

/**
 * A template of a campaign, for the organisation that makes it: all parts are its own, the other side's
 * too, because whoever makes a campaign of it owns what is in it.
 */
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

/** A draft from a template; its parts belong to whoever makes it. It starts with the last approval, without an end. */
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
