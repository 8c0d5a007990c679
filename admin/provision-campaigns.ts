import { Campaign } from '../shared/domain/campaign/campaign.ts';
import { platformOwnerId, Template } from '../shared/domain/campaign/template.ts';
import type { Partnership } from '../shared/domain/partnership.ts';
import type { Platform } from '../shared/runtime/platform.ts';
import { campaignWrites } from '../shared/store/campaigns.ts';
import { templateWrite } from '../shared/store/templates.ts';
import type { CampaignFile } from './campaign-file.ts';
import type { TemplateFile } from './template-file.ts';

/** What operators make under partnerships: campaigns, and templates of campaigns. */

/** Makes a campaign that runs from now on. */
export async function provisionCampaign(
  platform: Platform,
  { uuid, merchantId, partnerId, ownerId }: Partnership,
  file: CampaignFile,
): Promise<Campaign> {
  const id = await platform.sequences.lease('campaign', 1);
  const now = platform.now().toISOString();
  const { partId, part } = parts(partnerId);
  const campaign = Campaign.parse({
    ...file,
    id,
    version: 1,
    partnershipUuid: uuid,
    merchantId,
    partnerId,
    ownerId,
    logo: null,
    status: 'ACTIVE',
    startsAt: now,
    endsAt: null,
    isDeleted: false,
    createdAt: now,
    flows: file.flows.map(({ trigger, actions, multipliers }) => ({
      id: partId(),
      trigger,
      actions: actions.map(part),
      multipliers: multipliers.map(part),
    })),
  });
  await platform.table.transact(campaignWrites(campaign));
  return campaign;
}

/** Numbers the parts of a campaign, and says whose they are. */
function parts(ownerId: number) {
  let next = 1;
  const partId = () => next++;
  return { partId, part: <Part extends object>(value: Part) => ({ ...value, id: partId(), ownerId }) };
}

/** Who offers a template: one of the organisations, or the platform to all of them. */
export type TemplateOwner = { readonly merchantId: number } | { readonly partnerId: number } | 'platform';

/** Makes a template. @throws ZodError that names every fault of its parts */
export async function provisionTemplate(
  platform: Platform,
  owner: TemplateOwner,
  file: TemplateFile,
): Promise<Template> {
  const sides = { merchantId: null, partnerId: null, ...(owner !== 'platform' && owner) };
  const ownerId = sides.merchantId ?? sides.partnerId ?? platformOwnerId;
  const { partId, part } = parts(ownerId);
  const template = Template.parse({
    ...file,
    ...sides,
    // One sequence for both, so that a template can become a campaign's without being renumbered.
    id: await platform.sequences.lease('campaign', 1),
    ownerId,
    logo: null,
    templateId: null,
    createdAt: platform.now().toISOString(),
    flows: file.flows.map(({ trigger, actions, multipliers, conditionGroups, limits }) => ({
      id: partId(),
      trigger,
      actions: actions.map(part),
      multipliers: multipliers.map(part),
      conditionGroups: conditionGroups.map(({ logic, conditions }) => ({
        id: partId(),
        logic,
        conditions: conditions.map(part),
      })),
      limits: limits.map(part),
    })),
    goals: file.goals.map(part),
  });
  await platform.table.write(templateWrite(template));
  return template;
}
