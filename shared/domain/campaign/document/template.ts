import * as z from 'zod/mini';
import { Campaign } from './campaign.ts';

/** The owner of templates that the platform offers to all organisations. No organisation has this id. */
export const platformOwnerId = 0;

/** A model for campaigns. A template has no partnership and no schedule. A campaign that is made from it gets both. */
export const Template = z.extend(
  z.pick(Campaign, {
    id: true,
    name: true,
    description: true,
    logo: true,
    type: true,
    ownerId: true,
    createdAt: true,
    flows: true,
    goals: true,
    templateId: true,
  }),
  {
    /** The owner is the merchant or the partner. Both ids are null when the platform offers the template. */
    merchantId: z.nullable(z.int()),
    partnerId: z.nullable(z.int()),
  },
);
export type Template = z.infer<typeof Template>;
