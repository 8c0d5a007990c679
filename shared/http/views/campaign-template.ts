import * as z from 'zod/mini';
import type { Template } from '../../domain/campaign/document/template.ts';
import { datetime, flag, id } from '../wire.ts';
import { CampaignFlow, CampaignGoal, flowView, goalView } from './campaign.ts';
import * as codes from './campaign-codes.ts';
import { code, owner } from './campaign-codes.ts';

/** Endpoint 10. The fields that only a running campaign has are null: partnership and dates. */
export const CampaignTemplate = z.object({
  id,
  name: z.string(),
  campaign_type: code,
  created_date: datetime,
  description: z.nullable(z.string()),
  campaign_logo: z.nullable(z.string()),
  merchant_id: z.nullable(id),
  partner_id: z.nullable(id),
  partnership_id: z.nullable(id),
  is_active: flag,
  is_deleted: flag,
  start_date: z.nullable(datetime),
  end_date: z.nullable(datetime),
  activation_date: z.nullable(datetime),
  owner_id: owner,
  is_template: flag,
  template_id: z.nullable(id),
  total_rewards: z.int(),
  campaign_flows: z.array(CampaignFlow),
  goals: z.array(CampaignGoal),
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
