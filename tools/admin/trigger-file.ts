import * as z from 'zod/mini';
import { ContextSchema } from '../../shared/domain/trigger/context-schema.ts';
import { triggerKinds } from '../../shared/domain/trigger/trigger.ts';

/** A trigger as an operator writes it down. */
export const TriggerFile = z.strictObject({
  /** What callers name it by. */
  name: z.string().check(z.minLength(1), z.maxLength(255)),
  description: z.nullable(z.string().check(z.maxLength(1000))),
  /** What an event by it means: CUSTOM for flows that name it, REFERRAL when its user brought another one. */
  event: z._default(z.enum(triggerKinds), 'CUSTOM'),
  isActive: z._default(z.boolean(), true),
  contextSchema: ContextSchema,
});
export type TriggerFile = z.infer<typeof TriggerFile>;
