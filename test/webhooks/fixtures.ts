import { randomBytes } from 'node:crypto';
import { entityTypes, type PlatformEvent } from '../../shared/contracts/events.ts';
import { uuidOf } from '../../shared/domain/ids.ts';
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
