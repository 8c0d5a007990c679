import type { Trigger } from '../../../shared/domain/trigger/trigger.ts';
import { table } from '../cli/text.ts';

/** A trigger for scripts; its file has the same names. */
export function triggerView(trigger: Trigger) {
  const { name, customTriggerId, event, description, isActive, revision, contextSchema, createdAt } = trigger;
  return { name, customTriggerId, event, description, isActive, revision, contextSchema, createdAt };
}

/** Triggers for people. */
export function triggersTable(triggers: readonly Trigger[]): string {
  if (triggers.length === 0) return 'none';
  return table(
    ['name', 'id', 'event', 'state', 'fields', 'description'],
    triggers.map(({ name, customTriggerId, event, isActive, contextSchema, description }) => [
      name,
      customTriggerId,
      event,
      isActive ? 'active' : 'inactive',
      Object.keys(contextSchema.fields).join(' '),
      description,
    ]),
  );
}
