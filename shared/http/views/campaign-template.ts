import * as z from 'zod/mini';
import { described } from '../../contracts/described.ts';
import type { Template } from '../../domain/campaign/document/template.ts';
import { datetime, flag, id, isDeleted } from '../wire.ts';
import { CampaignFlow, CampaignGoal, flowView, goalView } from './campaign.ts';
import * as codes from './campaign-codes.ts';
import { owner } from './campaign-codes.ts';

/** Endpoint 10. The fields that only a running campaign has are null: partnership and dates. */
export const CampaignTemplate = z.object({
  id: described('Id of the template.', id),
  name: described('Display name of the template.', z.string()),
  campaign_type: codes.campaignType,
  created_date: described('Time at which the template was created.', datetime),
  description: described('Description; null without one.', z.nullable(z.string())),
  campaign_logo: described('URL of the logo; null without one.', z.nullable(z.string())),
  merchant_id: described('Merchant of the template; null if it is not bound to one.', z.nullable(id)),
  partner_id: described('Partner of the template; null if it is not bound to one.', z.nullable(id)),
  partnership_id: described('Always null: a template belongs to no partnership.', z.nullable(id)),
  is_active: described('Always 0: a template does not run.', flag),
  is_deleted: isDeleted,
  start_date: described('Always null: a template has no dates.', z.nullable(datetime)),
  end_date: described('Always null: a template has no dates.', z.nullable(datetime)),
  activation_date: described('Always null: a template is never activated.', z.nullable(datetime)),
  owner_id: described('Organisation that owns the template; 0 if it belongs to the platform.', owner),
  is_template: described('Always 1.', flag),
  template_id: described('The template that it was copied from; null without one.', z.nullable(id)),
  total_rewards: described('Always 0: a template awards nothing.', z.int()),
  campaign_flows: described('The flows of the template.', z.array(CampaignFlow)),
  goals: described('The goals.', z.array(CampaignGoal)),
});

/** A template as endpoint 10 shows it. */
export function templateView(template: Template): z.input<typeof CampaignTemplate> {
  return {
    id: template.id,
    name: template.name,
    campaign_type: codes.campaignTypeCodes[template.type],
    created_date: template.createdAt,
    description: template.description,
    campaign_logo: template.logo,
    merchant_id: template.merchantId,
    partner_id: template.partnerId,
    partnership_id: null,
    is_active: 0,
    is_deleted: 0,
    start_date: null,
    end_date: null,
    activation_date: null,
    owner_id: template.ownerId,
    is_template: 1,
    template_id: template.templateId,
    total_rewards: 0,
    campaign_flows: template.flows.map((flow) => flowView(flow, template)),
    goals: template.goals.map(goalView),
  };
}
