import * as z from 'zod/mini';
import { ContextSchema } from '../shared/domain/trigger/context-schema.ts';

/** A trigger as an operator writes it down. */
export const TriggerFile = z.strictObject({
  /** What callers name it by. */
  name: z.string().check(z.minLength(1), z.maxLength(255)),
  description: z.nullable(z.string().check(z.maxLength(1000))),
  isActive: z._default(z.boolean(), true),
  contextSchema: ContextSchema,
});
export type TriggerFile = z.infer<typeof TriggerFile>;
