import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { platformSource } from '../../shared/contracts/events.ts';
import { composePlatform, type Platform as Stage } from '../../shared/runtime/platform.ts';
import { readConfig } from '../../shared/runtime/runtime.ts';
import type { Subscription } from '../../shared/webhooks/subscription.ts';
import { callAws } from '../../tools/local/aws-json.ts';
import { type Platform, startPlatform } from '../../tools/local/platform.ts';
import { operatorEnvironment } from '../../tools/local/start/scripts.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { anEvent, aSubscription, newId } from '../webhooks/fixtures.ts';

// Days of retries on the real queues, schedules and functions. The test moves the platform's clock.

const { assembly } = inject('flow');
const hour = 3_600_000;
const day = 24 * hour;

let platform: Platform;
let stage: Stage;
const environment = { ...process.env };
const closing: (() => unknown)[] = [];

beforeAll(async () => {
  if (assembly === undefined) return;
  const stateDirectory = mkdtempSync(join(tmpdir(), 'webhook-time-'));
  closing.push(() => rmSync(stateDirectory, { recursive: true, force: true, maxRetries: 5 }));
  const settings = { clock: 'controlled', schedules: false, enforceIam: true, visibilityTimeoutSeconds: 5 } as const;
  platform = await startPlatform({ assembly, stateDirectory, ...settings });
  closing.push(() => platform.stop());
  Object.assign(process.env, operatorEnvironment(platform.aws));
  stage = composePlatform(readConfig(process.env));
}, 120_000);
afterAll(async () => {
  for (const close of closing.toReversed()) await close();
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, environment);
});

let organisations = 7000;

/** An endpoint of a new organisation. The test can change its reply. */
async function endpoint(parts: Partial<Subscription> = {}) {
  const reply = { status: 500 };
  const receiver = await startReceiver((response) => response.writeHead(reply.status).end());
  closing.push(() => receiver.close());
  organisations += 1;
  const subscription = aSubscription({ organisationId: organisations, endpointUrl: receiver.url, ...parts });
  await stage.subscriptions.create(subscription);
  const health = async () => (await stage.subscriptions.find(subscription))?.health;
  return { reply, receiver, subscription, health };
}

/** Puts events on the bus, ten at a time, and waits until they are handled. */
async function publish(count: number, organisationId: number): Promise<string[]> {
  const now = () => new Date(platform.clock.now());
  const events = Array.from({ length: count }, () =>
    anEvent({
      ...{ id: newId(now()), name: 'campaign_updated', occurredAt: now().toISOString() },
      ...{ merchantId: organisationId, partnerId: organisationId },
    }),
  );
  for (let from = 0; from < count; from += 10) {
    const Entries = events.slice(from, from + 10).map((event) => ({
      ...{ Source: platformSource, DetailType: event.name, Detail: JSON.stringify(event) },
      EventBusName: platform.aws.bus,
    }));
    await callAws({ endpoint: platform.aws.events, name: 'events', target: 'AWSEvents' }, 'PutEvents', { Entries });
  }
  await platform.settled(100_000);
  return events.map(({ id }) => id);
}

const idsAt = ({ received }: Receiver) => received.map(({ headers }) => String(headers['webhook-id']));

describe.skipIf(assembly === undefined)('the endpoint of a webhook', () => {
  it('receives at most 40 requests during an hour of failures', async () => {
    const { reply, receiver, subscription, health } = await endpoint();
    const ids = await publish(60, subscription.organisationId);
    await platform.elapse(hour);
    expect(receiver.received.length).toBeLessThanOrEqual(40);
    expect(await health()).toMatchObject({ state: 'open' });

    reply.status = 204;
    const requests = receiver.received.length;
    await platform.elapse(3 * hour);
    expect(idsAt(receiver).slice(requests).toSorted()).toEqual(ids.toSorted());
    expect(await health()).toMatchObject({ state: 'closed' });
  }, 180_000);

  it('receives an event 12 times in 76 hours while it refuses every attempt', async () => {
    const { reply, receiver, subscription } = await endpoint();
    const startedMs = platform.clock.now();
    const [id = ''] = await publish(1, subscription.organisationId);
    await platform.elapse(92 * hour);

    expect(idsAt(receiver)).toEqual(Array.from({ length: 12 }, () => id));
    const found = await stage.deliveries.find(subscription.subscriptionId, id);
    expect(found?.delivery).toMatchObject({ state: 'failed', attempts: 12 });
    const hours = found?.failedAttempts.map(({ at }) => (Date.parse(at) - startedMs) / hour) ?? [];
    const planned = [0, 5, 35, 155, 755, 2555, 9755, 27_755, 63_755, 114_155, 186_155, 272_555];
    for (const [index, seconds] of planned.entries()) {
      expect(hours[index]).toBeGreaterThanOrEqual((0.79 * seconds) / 3600);
      expect(hours[index]).toBeLessThan((1.21 * seconds + 90) / 3600);
    }
    expect(reply.status).toBe(500);
  }, 180_000);

  it('is disabled after five days of failures and two warnings', async () => {
    const { reply, receiver, subscription, health } = await endpoint();
    const owner = await startReceiver();
    closing.push(() => owner.close());
    const { organisationId } = subscription;
    await stage.subscriptions.create(aSubscription({ organisationId, entityType: 4, endpointUrl: owner.url }));
    const ids = await publish(8, organisationId);
    await platform.elapse(7 * day);

    expect(await health()).toMatchObject({ state: 'disabled', disabledReason: 'failing' });
    expect(owner.received.map(({ body }) => JSON.parse(body))).toEqual([
      ...['webhook.endpoint_degraded', 'webhook.endpoint_degraded', 'webhook.endpoint_disabled'].map((event) => {
        return { event, entity: 4, entity_id: subscription.subscriptionId };
      }),
    ]);
    const requests = receiver.received.length;
    reply.status = 200;
    const [found] = await stage.subscriptions.of(organisationId);
    const moved = { endpointUrl: `${receiver.url}/new`, now: new Date(platform.clock.now()), nextUuid: () => newId() };
    if (found) await stage.subscriptions.moveEndpoint(found, moved);
    await platform.settled();
    await platform.elapse(hour);
    expect(idsAt(receiver).slice(requests).toSorted()).toEqual(ids.toSorted());
  }, 120_000);
});
