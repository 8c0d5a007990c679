import * as z from 'zod/mini';

/** A tenant: a merchant, or a partner that runs a loyalty program. */
export const Organisation = z.object({
  id: z.int(),
  name: z.string(),
  kind: z.enum(['MERCHANT', 'PARTNER']),
  /** The system of record of a partner's points; the platform's own ledger when it is `hosted`. */
  program: z.nullable(z.strictObject({ kind: z.literal('hosted') })),
  /** Where the connect flow may send people back to. */
  redirectUris: z.array(z.string()),
  createdAt: z.string(),
});
export type Organisation = z.infer<typeof Organisation>;
