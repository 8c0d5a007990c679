import * as z from 'zod/mini';
import { type Campaign, isRunning } from '../../domain/campaign/document/campaign.ts';
import type { FlowTrigger } from '../../domain/campaign/document/facts.ts';
import { type Action, actionKind } from '../../domain/campaign/document/parts.ts';
import { measureProgress } from '../../domain/campaign/evaluation/goal-progress.ts';
import type { Totals } from '../../domain/ledger/totals.ts';
import { datetime, flag, id } from '../wire.ts';
import { campaignTypeCodes, triggerTypeCodes } from './campaign-codes.ts';
import { GoalInProgress, progressView } from './campaign-goal.ts';

/** A campaign in a list: endpoint 9, and the campaigns of endpoint 6. */
export const ListedCampaign = z.object({
  id,
  name: z.string(),
  description: z.nullable(z.string()),
  campaign_logo: z.nullable(z.string()),
  /** 1 EARN, 2 REDEEM, 3 CONNECT_ONLY, 4 TRANSFER. */
  campaign_type: z.int().check(z.gte(1), z.lte(4)),
  /** 1 SPEND, 2 REGISTRATION, 3 REFERRAL, 4 CUSTOM; null when the campaign has no flow. */
  trigger_type: z.nullable(z.int().check(z.gte(1), z.lte(4))),
  merchant_id: id,
  partner_id: id,
  base_reward: z.nullable(z.number()),
  start_date: datetime,
  end_date: z.nullable(datetime),
  total_rewards: z.int(),
  /** Our additions: money awarded, members registered, and the progress of the goals. */
  total_cashback_cents: z.int(),
  total_registrations: z.int(),
  goals: z.array(GoalInProgress),
  is_active: flag,
  is_deleted: flag,
  owner_id: id,
  created_date: datetime,
});

/** A campaign in a list, as of `now`. */
export function listedView(campaign: Campaign, totals: Totals, now: Date): z.input<typeof ListedCampaign> {
  const [flow] = campaign.flows;
  return {
    id: campaign.id,
    name: campaign.name,
    description: campaign.description,
    campaign_logo: campaign.logo,
    campaign_type: campaignTypeCodes[campaign.type],
    trigger_type: flow ? triggerTypeCodes[flow.trigger.type] : null,
    merchant_id: campaign.merchantId,
    partner_id: campaign.partnerId,
    base_reward: baseReward(campaign),
    start_date: campaign.startsAt,
    end_date: campaign.endsAt,
    total_rewards: totals.earnedPoints + totals.redeemedPoints,
    total_cashback_cents: totals.cashbackCents,
    total_registrations: totals.registrations,
    goals: measureProgress(campaign.goals, totals).map(progressView),
    is_active: isRunning(campaign, now) ? 1 : 0,
    is_deleted: campaign.isDeleted ? 1 : 0,
    owner_id: campaign.ownerId,
    created_date: campaign.createdAt,
  };
}

function baseReward({ flows: [flow] }: Campaign): number | null {
  const action = flow?.actions[0];
  return flow && action ? baseRewardOf(action, flow.trigger) : null;
}

/**
 * The base rate as people read it: points, or dollars of cashback, per dollar or per event; dollars per point of
 * a redemption; points per point of a transfer.
 */
export function baseRewardOf(action: Action, trigger: FlowTrigger): number {
  const { baseRate, rateUnit } = actionKind(action.kind);
  const scale = 10 ** rateUnit.decimals * (rateUnit.of === 'cent' ? 100 : 1);
  return baseRate(action, trigger.type === 'SPEND') / scale;
}
