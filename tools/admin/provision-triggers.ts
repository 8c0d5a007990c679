import type { Partnership } from '../../shared/domain/partnership.ts';
import type { Trigger } from '../../shared/domain/trigger/trigger.ts';
import type { Platform } from '../../shared/runtime/platform.ts';
import { carryOut } from './make/change.ts';
import { type NewTrigger, newTrigger } from './make/trigger.ts';

/** Configures a trigger of a partnership. */
export async function provisionTrigger(
  platform: Platform,
  partnership: Pick<Partnership, 'uuid'>,
  wanted: NewTrigger,
): Promise<Trigger> {
  return carryOut(platform, await newTrigger(platform, partnership, wanted));
}
