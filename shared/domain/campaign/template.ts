import * as z from 'zod/mini';
import { Campaign, Flow } from './campaign.ts';
import { ConditionGroup } from './condition.ts';
import { Goal, Limit } from './limit.ts';

/** Owns what the platform itself offers to everybody: no organisation has this id. */
export const platformOwnerId = 0;

/** What begins a flow. */
const FlowTrigger = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('SPEND') }),
  z.strictObject({ type: z.literal('REGISTRATION') }),
  z.strictObject({ type: z.literal('REFERRAL') }),
  z.strictObject({ type: z.literal('CUSTOM'), customTriggerId: z.int() }),
]);

/** A flow as the builder saves it. */
export const TemplateFlow = z.extend(Flow, {
  trigger: FlowTrigger,
  conditionGroups: z.array(ConditionGroup),
  limits: z.array(Limit),
});
export type TemplateFlow = z.infer<typeof TemplateFlow>;

/** A campaign that is not run but copied: of no partnership and with no schedule, which the copy gets. */
export const Template = z.extend(
  z.pick(Campaign, { id: true, name: true, description: true, logo: true, type: true, ownerId: true, createdAt: true }),
  {
    /** The owner, on whichever side it is; both null where the platform offers the template. */
    merchantId: z.nullable(z.int()),
    partnerId: z.nullable(z.int()),
    /** The template that it was made from. */
    templateId: z.nullable(z.int()),
    flows: z.array(TemplateFlow),
    goals: z.array(Goal),
  },
);
export type Template = z.infer<typeof Template>;
