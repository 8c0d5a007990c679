import * as z from 'zod/mini';
import { partitions } from '../../contracts/table.ts';
import { TriggerEvent, triggerEventStatesBefore } from '../../domain/trigger/trigger-event.ts';
import { finalizationWrite } from '../award/claims.ts';
import { outboxWrite } from '../outbox/outbox.ts';
import { ConditionFailedError, defineEntity, isNew, Repository, type Write } from '../table/table-client.ts';

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

/** The events that callers sent for triggers. */
export class TriggerEvents extends Repository {
  async find(id: number): Promise<TriggerEvent | undefined> {
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
  async change(event: TriggerEvent): Promise<void> {
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
