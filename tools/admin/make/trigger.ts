import type * as z from 'zod/mini';
import type { Partnership } from '../../../shared/domain/partnership.ts';
import type { ContextSchema } from '../../../shared/domain/trigger/context-schema.ts';
import { Trigger } from '../../../shared/domain/trigger/trigger.ts';
import type { Platform } from '../../../shared/runtime/platform.ts';
import { newTriggerWrite } from '../../../shared/store/trigger/triggers.ts';
import type { Change } from './change.ts';

/** A trigger as an operator configures it. */
export interface NewTrigger {
  readonly name: string;
  readonly description: string | null;
  readonly contextSchema: z.input<typeof ContextSchema>;
  readonly isActive?: boolean;
  readonly event?: Trigger['event'];
}

/** Makes a trigger of a partnership. */
export async function newTrigger(
  platform: Platform,
  { uuid }: Pick<Partnership, 'uuid'>,
  wanted: NewTrigger,
): Promise<Change<Trigger>> {
  const trigger = Trigger.parse({
    isActive: true,
    ...wanted,
    partnershipUuid: uuid,
    customTriggerId: await platform.sequences.lease('trigger', 1),
    revision: 1,
    createdAt: platform.now().toISOString(),
  });
  return { made: trigger, writes: [newTriggerWrite(trigger)] };
}
