import { randomBytes } from 'node:crypto';
import { marshall } from '@aws-sdk/util-dynamodb';
import type { DynamoDBRecord } from 'aws-lambda';
import type { BusEvent } from '../../shared/contracts/events.ts';
import { entityTypes, type PlatformEvent } from '../../shared/contracts/events.ts';
import { uuidOf } from '../../shared/domain/ids.ts';
import { outboxWrite } from '../../shared/store/outbox/outbox.ts';
import type { Subscription } from '../../shared/webhooks/subscription.ts';

/** A UUID version 7, as the platform creates them. */
export const newId = (at = new Date()) => uuidOf(at, randomBytes(10));

export function anEvent(parts: Partial<PlatformEvent> = {}): PlatformEvent {
  return {
    id: newId(),
    name: 'transaction_created',
    entityId: newId(),
    occurredAt: new Date().toISOString(),
    merchantId: 101,
    partnerId: 202,
    ...parts,
  };
}

export function aSubscription(parts: Partial<Subscription> = {}): Subscription {
  return {
    organisationId: 101,
    subscriptionId: newId(),
    endpointUrl: 'https://hooks.example.com/rewards',
    salt: randomBytes(32).toString('hex'),
    readableEntityTypes: Object.values(entityTypes),
    createdAt: '2026-01-01T00:00:00.000Z',
    updatedAt: '2026-01-01T00:00:00.000Z',
    ...parts,
  };
}

/** The stream's record of a written event. */
export function inserted(event: BusEvent, sequence: number): DynamoDBRecord {
  const write = outboxWrite(event);
  if (write.kind !== 'put') throw new Error('an outbox item is put');
  return streamed(write.item, sequence);
}

/** The stream's record of a new item, or of a change of an item. */
export function streamed(item: object, sequence: number, before?: object): DynamoDBRecord {
  const images = { NewImage: marshall(item), ...(before && { OldImage: marshall(before) }) };
  const eventName = before ? 'MODIFY' : 'INSERT';
  return { eventName, dynamodb: { ...images, SequenceNumber: `sequence-${sequence}` } } as DynamoDBRecord;
}
