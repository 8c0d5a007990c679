import * as z from 'zod/mini';
import { described } from '../../contracts/described.ts';
import { type Partnership, partnerApprovals, partnershipKinds, reversalPolicies } from '../../domain/partnership.ts';
import { attributeTypes } from '../../domain/registry/registry.ts';
import type { Trigger } from '../../domain/trigger/trigger.ts';
import type { PartnershipChoices, TriggerUse } from '../../operations/partnership/load-choices.ts';
import { Named } from './managed-campaign-schema.ts';

/** Partnerships and triggers, as the authors of campaigns see them. */

const trigger = {
  custom_trigger_id: described('The id by which campaigns name the trigger.', z.int()),
  name: described('Name of the trigger.', z.string()),
  event: described('What its events count as.', z.enum(['CUSTOM', 'REFERRAL'])),
  friend_field: described(
    'Field that names the friend of a referral; null for other triggers.',
    z.nullable(z.string()),
  ),
  description: described('Description; null without one.', z.nullable(z.string())),
  is_active: described('Whether events are accepted.', z.boolean()),
  revision: described('Increases with every change.', z.int()),
  context_schema: described('The fields of its events, as in a trigger file.', z.record(z.string(), z.unknown())),
  created_at: described('When it was made.', z.string()),
};

/** A trigger on the wire. */
export const TriggerView = z.object(trigger);

/** A trigger, for scripts and for the wire. */
export const triggerView = ({ contextSchema, ...one }: Trigger) => ({
  customTriggerId: one.customTriggerId,
  name: one.name,
  event: one.event,
  friendField: one.friendField ?? null,
  description: one.description,
  isActive: one.isActive,
  revision: one.revision,
  contextSchema: { ...contextSchema },
  createdAt: one.createdAt,
});

export const PartnershipReply = z.object({
  uuid: described('UUID of the partnership.', z.string()),
  name: described('Name of the partnership.', z.string()),
  description: described('Description; null without one.', z.nullable(z.string())),
  kind: described('Whether the merchant works with this partner only.', z.enum(partnershipKinds)),
  side: described('The side that your organisation is on.', z.enum(['merchant', 'partner'])),
  merchant_id: described('Id of the merchant.', z.int()),
  partner_id: described('Id of the partner.', z.int()),
  merchant: Named,
  partner: Named,
  is_active: described('Whether its campaigns reward.', z.boolean()),
  is_demo: described('Whether it is a demonstration.', z.boolean()),
  time_zone: described('IANA time zone of dates and of the periods of limits.', z.string()),
  allows_cashback: described('Whether campaigns may award money.', z.boolean()),
  partner_approval: described('Whether the partner approves what moves its points.', z.enum(partnerApprovals)),
  reversal_policy: described('How far a refund takes credited points back.', z.enum(reversalPolicies)),
  created_at: described('When it was made.', z.string()),
  tiers: described(
    'The status tiers of the program, the lowest first.',
    z.array(
      z.object({
        id: described('The number by which campaigns name the tier.', z.int()),
        name: described('Name of the tier.', z.string()),
        order: described('Rank of the tier; 1 is the lowest.', z.int()),
      }),
    ),
  ),
  attributes: described(
    'The attributes of customers that conditions and multipliers may name.',
    z.array(
      z.object({
        name: described('Name of the attribute.', z.string()),
        type: described('Type of its values.', z.enum(attributeTypes)),
        values: described('The allowed values; null if every value is allowed.', z.nullable(z.array(z.string()))),
      }),
    ),
  ),
  triggers: described('The triggers that flows may wait for, by name.', z.array(TriggerView)),
  programs: described('The programs between which you may let members transfer points.', z.array(Named)),
});

/** A partnership, for scripts and for the wire. */
export const managedPartnershipView = (one: Partnership) => ({
  uuid: one.uuid,
  name: one.name,
  description: one.description,
  kind: one.kind,
  merchantId: one.merchantId,
  partnerId: one.partnerId,
  isActive: one.isActive,
  isDeleted: one.isDeleted,
  isDemo: one.isDemo,
  timeZone: one.timeZone,
  allowsCashback: one.allowsCashback,
  partnerApproval: one.partnerApproval,
  reversalPolicy: one.reversalPolicy,
  createdAt: one.createdAt,
});

/** A partnership with what the author of a campaign may choose in it. */
export const choicesView = ({ partnership, triggers, ...choices }: PartnershipChoices) => ({
  ...managedPartnershipView(partnership),
  ...choices,
  triggers: triggers.map(triggerView),
});

export const TriggerReply = z.object({
  ...trigger,
  partnership: z.object({
    uuid: described('UUID of the partnership.', z.string()),
    name: described('Name of the partnership.', z.string()),
  }),
  campaigns: described(
    'The campaigns and drafts that wait for the trigger. Ended ones are left out.',
    z.array(z.object({ id: described('Id of the campaign.', z.int()), name: described('Its name.', z.string()) })),
  ),
});

export const triggerUseView = ({ trigger: one, partnership: { uuid, name }, campaigns }: TriggerUse) => ({
  ...triggerView(one),
  partnership: { uuid, name },
  campaigns,
});
