import * as z from 'zod/mini';
import type { FlowTrigger } from '../campaign/document/facts.ts';
import { ContextSchema } from './context-schema.ts';

/** The meaning of a trigger's events: a custom event that flows refer to, or a referral by its user. */
export const triggerKinds = ['CUSTOM', 'REFERRAL'] as const;

/** A named event that both sides of a partnership may send, as operators configure it. */
export const Trigger = z.object({
  partnershipUuid: z.string(),
  name: z.string(),
  /** The id that flows of campaigns refer to. */
  customTriggerId: z.int(),
  description: z.nullable(z.string()),
  contextSchema: ContextSchema,
  event: z._default(z.enum(triggerKinds), 'CUSTOM'),
  isActive: z.boolean(),
  /** Counts its changes. */
  revision: z.int(),
  createdAt: z.string(),
});
export type Trigger = z.infer<typeof Trigger>;

/** The trigger of the flows that a trigger's events start. */
export function flowTriggerOf({ event, customTriggerId }: Pick<Trigger, 'event' | 'customTriggerId'>): FlowTrigger {
  return event === 'REFERRAL' ? { type: 'REFERRAL' } : { type: 'CUSTOM', customTriggerId };
}
