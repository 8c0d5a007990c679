import { campaignFrom, duplicate, templateOf } from '../../../shared/domain/campaign/authoring/new-campaign.ts';
import type { ManagedCampaign } from '../../../shared/domain/campaign/document/record.ts';
import { platformOwnerId, type Template } from '../../../shared/domain/campaign/document/template.ts';
import type { Partnership } from '../../../shared/domain/partnership.ts';
import type { Platform } from '../../../shared/runtime/platform.ts';
import { newCampaignWrite } from '../../../shared/store/campaign/campaign-records.ts';
import { templateWrite } from '../../../shared/store/campaign/templates.ts';
import { isNew } from '../../../shared/store/table/items.ts';
import { OperatorError } from '../cli/errors.ts';
import type { Change } from '../make/change.ts';
import { requireSide } from './apply.ts';
import { type CampaignAct, findCampaign } from './manage.ts';

/** Copies a campaign, as a draft of the same partnership. @throws OperatorError */
export async function duplicateCampaign(
  platform: Platform,
  { campaignId, organisationId }: CampaignAct,
): Promise<Change<ManagedCampaign>> {
  const original = await findCampaign(platform, campaignId);
  requireSide(original.record, organisationId);
  const { partnershipUuid: uuid, merchantId, partnerId } = original.record;
  const id = await platform.sequences.lease('campaign', 1);
  const partnership = { uuid, merchantId, partnerId };
  const made = duplicate(original, { id, partnership, organisationId, now: platform.now() });
  if (!made) throw new OperatorError(`campaign ${campaignId} has no document`);
  return { made, writes: [newCampaignWrite(made)] };
}

/** Makes a template of a campaign, for the organisation that asks. @throws OperatorError */
export async function createTemplate(
  platform: Platform,
  { campaignId, organisationId }: CampaignAct,
): Promise<Change<Template>> {
  const { record, live } = await findCampaign(platform, campaignId);
  requireSide(record, organisationId);
  const original = live ?? record.draft?.campaign;
  if (!original) throw new OperatorError(`campaign ${campaignId} has no document`);
  const id = await platform.sequences.lease('campaign', 1);
  const made = templateOf(original, { id, organisationId, now: platform.now() });
  return { made, writes: [{ ...templateWrite(made), when: isNew }] };
}

/** Makes a campaign of one's own template or of one that the platform offers, as a draft. @throws OperatorError */
export async function campaignFromTemplate(
  platform: Platform,
  templateId: number,
  { partnership, organisationId }: { readonly partnership: Partnership; readonly organisationId: number },
): Promise<Change<ManagedCampaign>> {
  requireSide(partnership, organisationId);
  const owners = [organisationId, platformOwnerId];
  const found = await Promise.all(owners.map((owner) => platform.templates.find(owner, templateId)));
  const template = found.find(Boolean);
  if (!template) throw new OperatorError(`organisation ${organisationId} is offered no template ${templateId}`);
  const id = await platform.sequences.lease('campaign', 1);
  const made = campaignFrom(template, { id, partnership, organisationId, now: platform.now() });
  return { made, writes: [newCampaignWrite(made)] };
}
