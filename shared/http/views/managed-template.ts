import * as z from 'zod/mini';
import { described } from '../../contracts/described.ts';
import { platformOwnerId, type Template } from '../../domain/campaign/document/template.ts';
import { CampaignFile, CampaignTypeName, Named } from './managed-campaign-schema.ts';

/** Templates of campaigns, as their organisations manage them. */

export const TemplateReply = z.object({
  id: described('Id of the template.', z.int()),
  name: described('Name of the template.', z.string()),
  description: described('Description; null without one.', z.nullable(z.string())),
  logo: described('URL of the icon; null without one.', z.nullable(z.string())),
  type: CampaignTypeName,
  owner_id: described('Id of the organisation; 0 for templates of the platform.', z.int()),
  owner: described('The organisation; null for templates of the platform.', z.nullable(Named)),
  template_id: described('The template that its campaign was made from; null without one.', z.nullable(z.int())),
  created_at: described('When it was made.', z.string()),
  document: CampaignFile,
});

/**
 * A template. Its `document` is a campaign file without a schedule.
 *
 * @param ownName the name of the organisation to which the template is offered
 */
export function templateView({ flows, goals, ...template }: Template, ownName: string) {
  const { id, name, description, logo, type, ownerId, templateId, createdAt } = template;
  return {
    ...{ id, name, description, logo, type, ownerId, templateId, createdAt },
    owner: ownerId === platformOwnerId ? null : { id: ownerId, name: ownName },
    document: { name, description, logo, type, flows, goals },
  };
}
