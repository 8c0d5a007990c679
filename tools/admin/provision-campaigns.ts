import type { Campaign } from '../../shared/domain/campaign/document/campaign.ts';
import { platformOwnerId, Template } from '../../shared/domain/campaign/document/template.ts';
import type { Partnership } from '../../shared/domain/partnership.ts';
import type { Platform } from '../../shared/runtime/platform.ts';
import { templateWrite } from '../../shared/store/campaign/templates.ts';
import type { CampaignFile } from './campaign-file.ts';
import { makeCampaign } from './campaigns/apply.ts';
import { approveCampaign } from './campaigns/manage.ts';
import { carryOut } from './make/change.ts';
import type { TemplateFile } from './template-file.ts';

/** What operators make under partnerships: campaigns, and templates of campaigns. */

/**
 * Makes a campaign of the partner's, by the way that every campaign takes: what it says is a draft that the
 * partner, who owns all of it, approves. It runs from now on unless the file has a start.
 */
export async function provisionCampaign(
  platform: Platform,
  partnership: Partnership,
  file: CampaignFile,
): Promise<Campaign> {
  const organisationId = partnership.partnerId;
  const { change } = await makeCampaign(platform, file, { partnership, organisationId });
  if (!change) throw new Error('a file that says nothing makes no campaign');
  const { record } = await carryOut(platform, change);
  const { live } = await carryOut(platform, await approveCampaign(platform, { campaignId: record.id, organisationId }));
  if (!live) throw new Error(`campaign ${record.id} waits for others to approve it`);
  return live;
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
