import * as z from 'zod/mini';
import { ContextSchema } from './context-schema.ts';

/** A named event that the callers of a partnership may send, as it is configured there. */
export const Trigger = z.object({
  partnershipUuid: z.string(),
  name: z.string(),
  /** What flows of campaigns refer to it by. */
  customTriggerId: z.int(),
  description: z.nullable(z.string()),
  contextSchema: ContextSchema,
  isActive: z.boolean(),
  /** Counts its changes. */
  revision: z.int(),
  createdAt: z.string(),
});
export type Trigger = z.infer<typeof Trigger>;
