import { isDeepStrictEqual } from 'node:util';
import type * as z from 'zod/mini';
import type { Partnership } from '../../domain/partnership.ts';
import type { ContextSchema } from '../../domain/trigger/trigger.ts';
import { Trigger } from '../../domain/trigger/trigger.ts';
import { changedTriggerWrite, newTriggerWrite, Triggers } from '../../store/trigger/triggers.ts';
import { AlreadyExistsError, ChangedMeanwhileError, NotFoundError, type Subject, subjectText } from '../errors.ts';
import { type AuditedDeps, writeAudited } from '../write-audited.ts';
import { findPartnership, managePartnershipStores, partnershipSubject } from './manage-partnership.ts';

const configureTriggerStores = { ...managePartnershipStores, triggers: Triggers };
type ConfigureTriggerDeps = AuditedDeps<typeof configureTriggerStores>;

/** A trigger as its partnership configures it. */
export interface TriggerSettings {
  readonly name: string;
  readonly description: string | null;
  readonly contextSchema: z.input<typeof ContextSchema>;
  readonly isActive?: boolean;
  readonly event?: Trigger['event'];
  readonly friendField?: string | undefined;
}

type Owner = Pick<Partnership, 'uuid'> & Partial<Pick<Partnership, 'name'>>;

/** A trigger after `applyTrigger`. */
export interface AppliedTrigger {
  readonly outcome: 'created' | 'changed' | 'unchanged';
  readonly trigger: Trigger;
}

/** Loads the triggers of the partnership with this UUID or exact name. */
export async function loadTriggers(partnership: string, deps: ConfigureTriggerDeps) {
  const owner = await findPartnership(partnership, deps);
  return { partnership: owner, triggers: await deps.triggers.of(owner.uuid) };
}

/** Finds a trigger by its name, in the partnership with this UUID or exact name. @throws NotFoundError */
export async function findTrigger(partnership: string, name: string, deps: ConfigureTriggerDeps): Promise<Trigger> {
  const owner = await findPartnership(partnership, deps);
  const trigger = await deps.triggers.find(owner.uuid, name);
  if (trigger) return trigger;
  throw new NotFoundError(triggerSubject({ name }), { within: partnershipSubject(owner) });
}

/**
 * Creates the trigger with the name in `settings`, or changes this trigger to match `settings`.
 *
 * @param text UUID or exact name of the partnership
 *
 * @throws AlreadyExistsError, ChangedMeanwhileError when another writer was faster
 */
export async function applyTrigger(
  text: string,
  settings: TriggerSettings,
  deps: ConfigureTriggerDeps,
): Promise<AppliedTrigger> {
  const partnership = await findPartnership(text, deps);
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

const triggerSubject = ({ name }: Pick<Trigger, 'name'>): Subject => ({ kind: 'trigger', id: name });
