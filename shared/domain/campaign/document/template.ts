import * as z from 'zod/mini';
import { Campaign } from './campaign.ts';

/** Owns what the platform itself offers to everybody: no organisation has this id. */
export const platformOwnerId = 0;

/** A campaign that is not run but copied: of no partnership and with no schedule, which the copy gets. */
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
    /** The owner, on whichever side it is; both null where the platform offers the template. */
    merchantId: z.nullable(z.int()),
    partnerId: z.nullable(z.int()),
  },
);
export type Template = z.infer<typeof Template>;
