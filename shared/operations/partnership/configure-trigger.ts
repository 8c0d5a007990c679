import { isDeepStrictEqual } from 'node:util';
import type * as z from 'zod/mini';
import { ChangedMeanwhileError as NewerRevisionError } from '../../domain/errors.ts';
import { isSide, type Partnership } from '../../domain/partnership.ts';
import type { ContextSchema } from '../../domain/trigger/trigger.ts';
import { Trigger } from '../../domain/trigger/trigger.ts';
import { changedTriggerWrite, newTriggerWrite, Triggers } from '../../store/trigger/triggers.ts';
import { AlreadyExistsError, ChangedMeanwhileError, NotFoundError, type Subject, subjectText } from '../errors.ts';
import { authorChecks } from '../staff/author-checks.ts';
import { type AuditedDeps, writeAudited } from '../write-audited.ts';
import { findPartnership, managePartnershipStores, partnershipSubject } from './manage-partnership.ts';

export const configureTriggerStores = { ...managePartnershipStores, triggers: Triggers };
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
  if (before) return changeTrigger(partnership, before, settings, deps);
  return { outcome: 'created', trigger: await createTrigger(partnership, settings, deps) };
}

/** A trigger as one side of the partnership saw it. */
export interface SeenTrigger {
  readonly partnershipUuid: string;
  /** The organisation that creates or changes the trigger. */
  readonly organisationId: number;
  /** Zero for a trigger that does not exist yet. */
  readonly revision: number;
}

/**
 * Creates a trigger, or changes the trigger of this name, for one side of its partnership.
 *
 * @throws NotFoundError when the organisation has no such partnership, or the partnership no such trigger
 * @throws AlreadyExistsError when a new trigger has the name of another one
 * @throws NewerRevisionError when the trigger has another revision
 * @throws NotPermittedError when the author lost the roles meanwhile
 */
export async function applySeenTrigger(
  { partnershipUuid, organisationId, revision }: SeenTrigger,
  settings: TriggerSettings,
  deps: ConfigureTriggerDeps,
): Promise<Trigger> {
  const partnership = await deps.partnerships.find(partnershipUuid);
  if (!partnership || partnership.isDeleted || !isSide(organisationId, partnership)) {
    throw new NotFoundError({ kind: 'partnership', id: partnershipUuid });
  }
  const before = await deps.triggers.find(partnership.uuid, settings.name);
  const subject = triggerSubject(settings);
  if (!before && revision !== 0) throw new NotFoundError(subject, { within: partnershipSubject(partnership) });
  if (!before) return createTrigger(partnership, settings, deps);
  if (revision === 0) throw new AlreadyExistsError(subject, partnershipSubject(partnership));
  if (before.revision !== revision) {
    throw new NewerRevisionError({ revision: before.revision, by: null, at: null });
  }
  return (await changeTrigger(partnership, before, settings, deps)).trigger;
}

async function changeTrigger(
  partnership: Partnership,
  before: Trigger,
  settings: TriggerSettings,
  deps: ConfigureTriggerDeps,
): Promise<AppliedTrigger> {
  const after = Trigger.parse({ ...before, ...settings });
  if (isDeepStrictEqual(before, after)) return { outcome: 'unchanged', trigger: before };
  const subject = triggerSubject(after);
  await writeAudited(
    {
      what: `changed ${subjectText(subject)} of ${subjectText(partnershipSubject(partnership))}`,
      change: { before: auditedValues(before), after: auditedValues(after) },
      writes: [...authorChecks(deps), changedTriggerWrite(after)],
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
      change: { before: null, after: auditedValues(trigger) },
      writes: [...authorChecks(deps), newTriggerWrite(trigger)],
      conflict: () => new AlreadyExistsError(subject),
    },
    deps,
  );
  return trigger;
}

/** What people decide about a trigger. */
const auditedValues = ({ description, event, friendField, isActive, contextSchema }: Trigger) => ({
  ...{ description, event, isActive, contextSchema },
  ...(friendField !== undefined && { friendField }),
});

const triggerSubject = ({ name }: Pick<Trigger, 'name'>): Subject => ({ kind: 'trigger', id: name });
