import { readFile } from 'node:fs/promises';
import * as z from 'zod/mini';
import { campaignTypes } from '../shared/domain/campaign/campaign.ts';

/** A campaign as an operator writes it: what it rewards, without what the platform gives it. */
export const CampaignFile = z.strictObject({
  name: z.string().check(z.minLength(1), z.maxLength(255)),
  description: z.nullable(z.string().check(z.maxLength(1000))),
  type: z.enum(campaignTypes),
  flows: z.array(
    z.strictObject({
      trigger: z.strictObject({ type: z.literal('SPEND') }),
      actions: z.array(
        z.discriminatedUnion('kind', [
          z.strictObject({ kind: z.literal('AWARD_POINTS'), pointsPerDollarBp: z.int().check(z.gte(0)) }),
          z.strictObject({ kind: z.literal('REDEEM_POINTS'), pointValueMicros: z.int().check(z.gte(1)) }),
        ]),
      ),
      multipliers: z.array(
        z.strictObject({
          attribute: z.literal('CUSTOMER_STATUS'),
          operator: z.enum(['IS_IN', 'IS_NOT_IN']),
          statusTierIds: z.array(z.int()).check(z.minLength(1)),
          factorBp: z.int().check(z.gte(1)),
        }),
      ),
    }),
  ),
});
export type CampaignFile = z.infer<typeof CampaignFile>;

/** Reads a campaign file. @throws ZodError that names every fault */
export async function readCampaignFile(path: string | URL): Promise<CampaignFile> {
  return CampaignFile.parse(JSON.parse(await readFile(path, 'utf8')));
}
