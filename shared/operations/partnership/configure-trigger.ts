import { isDeepStrictEqual } from 'node:util';
import type * as z from 'zod/mini';
import type { Partnership } from '../../domain/partnership.ts';
import type { ContextSchema } from '../../domain/trigger/context-schema.ts';
import { Trigger } from '../../domain/trigger/trigger.ts';
import { Sequences } from '../../store/organisation/sequences.ts';
import { changedTriggerWrite, newTriggerWrite, Triggers } from '../../store/trigger/triggers.ts';
import type { Deps } from '../deps.ts';
import { AlreadyExistsError, ChangedMeanwhileError, type Subject, subjectText } from '../errors.ts';
import { type AuditedDeps, writeAudited } from '../write-audited.ts';
import { partnershipSubject } from './manage-partnership.ts';

const configureTriggerStores = { sequences: Sequences, triggers: Triggers };
type ConfigureTriggerDeps = AuditedDeps & Deps<typeof configureTriggerStores>;

/** A trigger as its partnership configures it. */
export interface TriggerSettings {
  readonly name: string;
  readonly description: string | null;
  readonly contextSchema: z.input<typeof ContextSchema>;
  readonly isActive?: boolean;
  readonly event?: Trigger['event'];
}

type Owner = Pick<Partnership, 'uuid'> & Partial<Pick<Partnership, 'name'>>;

/** A trigger after `applyTrigger`. */
export interface AppliedTrigger {
  readonly outcome: 'created' | 'changed' | 'unchanged';
  readonly trigger: Trigger;
}

/**
 * Creates the trigger of this name, or changes it to these settings.
 *
 * @throws AlreadyExistsError, ChangedMeanwhileError when another writer was faster
 */
export async function applyTrigger(
  partnership: Owner,
  settings: TriggerSettings,
  deps: ConfigureTriggerDeps,
): Promise<AppliedTrigger> {
  const before = await deps.triggers.find(partnership.uuid, settings.name);
  if (before === undefined) {
    return { outcome: 'created', trigger: await createTrigger(partnership, settings, deps) };
  }
  const after = Trigger.parse({ ...before, ...settings });
  if (isDeepStrictEqual(before, after)) return { outcome: 'unchanged', trigger: before };
  const subject = triggerSubject(after);
  await writeAudited(
    {
      what: `changed ${subjectText(subject)} of ${subjectText(partnershipSubject(partnership))}`,
      writes: [changedTriggerWrite(after)],
      conflict: () => new ChangedMeanwhileError(subject),
    },
    deps,
  );
  return { outcome: 'changed', trigger: { ...after, revision: after.revision + 1 } };
}

/** Creates a trigger of a partnership. @throws AlreadyExistsError when the partnership has one of this name */
export async function createTrigger(
  partnership: Owner,
  settings: TriggerSettings,
  deps: ConfigureTriggerDeps,
): Promise<Trigger> {
  const trigger = Trigger.parse({
    isActive: true,
    ...settings,
    partnershipUuid: partnership.uuid,
    customTriggerId: await deps.sequences.lease('trigger', 1),
    revision: 1,
    createdAt: deps.now().toISOString(),
  });
  const subject = triggerSubject(trigger);
  await writeAudited(
    {
      what: `created ${subjectText(subject)} of ${subjectText(partnershipSubject(partnership))}`,
      writes: [newTriggerWrite(trigger)],
      conflict: () => new AlreadyExistsError(subject),
    },
    deps,
  );
  return trigger;
}

export const triggerSubject = ({ name }: Pick<Trigger, 'name'>): Subject => ({ kind: 'trigger', id: name });
