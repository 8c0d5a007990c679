import * as z from 'zod/mini';
import type { FlowTrigger } from '../campaign/document/facts.ts';
import { ContextSchema } from './context-schema.ts';

/** What an event by a trigger means: something that only its flows know, or that its user brought another one. */
export const triggerKinds = ['CUSTOM', 'REFERRAL'] as const;

/** A named event that the callers of a partnership may send, as it is configured there. */
export const Trigger = z.object({
  partnershipUuid: z.string(),
  name: z.string(),
  /** What flows of campaigns refer to it by. */
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

/** What an event by a trigger is to the flows of campaigns. */
export function flowTriggerOf({ event, customTriggerId }: Pick<Trigger, 'event' | 'customTriggerId'>): FlowTrigger {
  return event === 'REFERRAL' ? { type: 'REFERRAL' } : { type: 'CUSTOM', customTriggerId };
}
