import * as z from 'zod/mini';

/** The business relationship between one merchant and one partner. */
export const Partnership = z.object({
  uuid: z.string(),
  name: z.string(),
  description: z.nullable(z.string()),
  imageUrl: z.nullable(z.string()),
  merchantId: z.int(),
  partnerId: z.int(),
  relatedPartnerId: z.nullable(z.int()),
  ownerId: z.int(),
  isActive: z.boolean(),
  isDeleted: z.boolean(),
  isDemo: z.boolean(),
  /** IANA time zone whose days, weeks and months the limits of its campaigns mean. */
  timeZone: z.string(),
  /** Whether its campaigns may award money. */
  allowsCashback: z._default(z.boolean(), false),
  createdAt: z.string(),
});
export type Partnership = z.infer<typeof Partnership>;

/** Whether an organisation is one of the two sides that a thing belongs to. */
export function isSide(
  organisationId: number,
  thing: { readonly merchantId: number; readonly partnerId: number },
): boolean {
  return thing.merchantId === organisationId || thing.partnerId === organisationId;
}
