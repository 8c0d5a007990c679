import * as z from 'zod/mini';
import { partitions } from '../../contracts/table.ts';
import { Trigger } from '../../domain/trigger/trigger.ts';
import { TriggerEvent, triggerEventStatesBefore } from '../../domain/trigger/trigger-event.ts';
import { finalizationWrite } from '../award/claims.ts';
import { outboxWrite } from '../outbox/outbox.ts';
import { ConditionFailedError, defineEntity, isNew, Repository, type Write } from '../table/table-client.ts';

const triggers = defineEntity(Trigger, (partnershipUuid: string, name: string) => ({
  pk: `${partitions.partnership}${partnershipUuid}`,
  sk: `TRIGGER#${name}`,
}));

/** The context is stored as text: DynamoDB refuses numbers and names that JSON allows. */
const StoredEvent = z.extend(z.omit(TriggerEvent, { context: true }), { contextJson: z.string() });
const events = defineEntity(StoredEvent, (id: number) => ({
  pk: `${partitions.triggerEvent}${id}`,
  sk: 'TRIGGER_EVENT',
}));

/** A different trigger event already has the integer id. */
export class TriggerEventIdTakenError extends Error {
  override readonly name = 'TriggerEventIdTakenError';

  constructor(id: number) {
    super(`trigger event ${id} exists`);
  }
}

/** The triggers of partnerships, and their events. */
export class Triggers extends Repository {
  async find(partnershipUuid: string, name: string): Promise<Trigger | undefined> {
    const item = await this.table.get(triggers.key(partnershipUuid, name));
    return item && triggers.parse(item);
  }

  /** All triggers of a partnership, by name. */
  async of(partnershipUuid: string): Promise<Trigger[]> {
    const { pk: partition, sk: sortBeginsWith } = triggers.key(partnershipUuid, '');
    return (await this.table.query({ partition, sortBeginsWith })).map(triggers.parse);
  }

  async findEvent(id: number): Promise<TriggerEvent | undefined> {
    const item = await this.table.get(events.key(id));
    if (!item) return undefined;
    const { contextJson, ...event } = events.parse(item);
    return { ...event, context: JSON.parse(contextJson) };
  }

  /**
   * Writes a changed event.
   *
   * @throws ConditionFailedError when the event was changed since it was read
   */
  async changeEvent(event: TriggerEvent): Promise<void> {
    await this.table.write(eventChangeWrite(event));
  }

  /**
   * Writes a new event, and announces it if it has a user.
   *
   * @param announcementId the id of the platform's event that announces the trigger event
   * @throws TriggerEventIdTakenError when its integer id is taken
   */
  async record(event: TriggerEvent, announcementId: string, replyWrites: readonly Write[] = []): Promise<void> {
    try {
      await this.table.transact([...recordWrites(event, announcementId), ...replyWrites]);
    } catch (error) {
      throw error instanceof ConditionFailedError ? new TriggerEventIdTakenError(event.id) : error;
    }
  }
}

function recordWrites({ context, ...event }: TriggerEvent, announcementId: string): Write[] {
  const stored = { ...event, contextJson: JSON.stringify(context) };
  const put: Write = { kind: 'put', item: events.item(events.key(event.id), stored), when: isNew };
  if (event.state === 'UNMATCHED') return [put];
  const announcement = {
    id: announcementId,
    name: 'trigger_received',
    entityId: event.uuid,
    occurredAt: event.receivedAt,
  } as const;
  return [put, outboxWrite(announcement)];
}

/**
 * The write of a changed event, on the condition that the event has not changed since it was read and that its state
 * allows the new state.
 */
export function eventChangeWrite(event: TriggerEvent): Write {
  return finalizationWrite(events.key(event.id), event, { before: triggerEventStatesBefore(event.state) });
}

/** The write of a new trigger. */
export function newTriggerWrite(trigger: Trigger): Write {
  return { kind: 'put', item: itemOf(trigger), when: isNew };
}

/** The write of a changed trigger, on the condition that it has not changed since it was read. */
export function changedTriggerWrite(trigger: Trigger): Write {
  const next = { ...trigger, revision: trigger.revision + 1 };
  return { kind: 'put', item: itemOf(next), when: [{ attribute: 'revision', is: '=', value: trigger.revision }] };
}

const itemOf = (trigger: Trigger) => triggers.item(triggers.key(trigger.partnershipUuid, trigger.name), trigger);
