import type { TriggerFile } from '../../../shared/domain/trigger/trigger-file.ts';
import { call } from './call.ts';
import type { TriggerView } from './types.ts';

/** Makes a trigger of a partnership. The name of another one is refused. */
export async function createTrigger(
  organisation: number,
  partnership: string,
  file: TriggerFile,
): Promise<TriggerView> {
  const { name, description, event, friendField, isActive, contextSchema } = file;
  const path = `/organisations/${organisation}/partnerships/${partnership}/triggers/${encodeURIComponent(name)}`;
  const body = { description, event, friend_field: friendField, is_active: isActive, context_schema: contextSchema };
  const { data } = await call<{ readonly data: TriggerView }>('PUT', path, { body, revision: 0 });
  return data;
}
