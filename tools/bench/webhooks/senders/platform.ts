import { dirname, join } from 'node:path';
import { platformSource } from '../../../../shared/contracts/events.ts';
import { type AwsJsonService, callAws } from '../../../local/aws-json.ts';
import { synthesize } from '../../../local/start/scripts.ts';
import { atOnce } from '../../purchases/jobs.ts';
import { Child } from '../child-process.ts';
import { type BenchEvent, eventName } from '../event.ts';
import type { NewEndpoint, RegisteredEndpoint, Sender, SenderOptions, Spent } from '../sender.ts';
import type { PlatformApi } from './platform-process.ts';

/** EventBridge takes at most ten events in one call. */
const callLimit = 10;
const parallelCalls = 4;
const entity = 3;
/** The four selectors that match the bench's event. An organisation can have one subscription for each selector. */
const selectors = [
  {},
  { event_name: eventName },
  { entity_type: entity },
  { event_name: eventName, entity_type: entity },
];

interface Organisation {
  readonly id: number;
  readonly apiKey: string;
}

/** The two organisations that receive a topic's events. For a topic with one endpoint, only the merchant subscribes. */
interface Sides {
  readonly merchant: Organisation;
  partner: Organisation;
  subscriptions: number;
}

interface Running {
  readonly child: Child<PlatformApi>;
  readonly events: AwsJsonService;
  readonly bus: string;
  readonly webhooksUrl: string;
  readonly quietPartner: Organisation;
}

interface Reply {
  readonly data?: { readonly subscription_id: string; readonly standard_webhooks_secret: string };
}

/** The cloud assembly of all scenarios. */
let assembly: Promise<string> | undefined;

/**
 * The whole local platform in its own process, which also starts Java. The bench puts events on the bus as relay-outbox
 * does, and subscribes receivers with endpoint 13. The workers of functions share the processors with the emulators.
 */
class PlatformSender implements Sender {
  /** An event belongs to two organisations, and four selectors of each can match it. */
  readonly maximumFanOut = 2 * selectors.length;
  /** The deliveries per second that the platform and its emulators can handle on two processors. */
  readonly maximumRate = 40;
  readonly #topics = new Map<string, Sides>();
  #running: Running | undefined;

  get #parts(): Running {
    if (!this.#running) throw new Error('the platform was not started');
    return this.#running;
  }

  async start({ directory, concurrency }: SenderOptions): Promise<void> {
    this.#topics.clear();
    assembly ??= synthesize(join(dirname(directory), 'assembly'), new AbortController().signal);
    const child = new Child<PlatformApi>(new URL('platform-process.ts', import.meta.url));
    const options = { assembly: await assembly, stateDirectory: directory, concurrency };
    const { aws, webhooksUrl } = await child.call('start', options);
    const quietPartner = await child.call('provision', 'Quiet partner');
    const events: AwsJsonService = { endpoint: aws.events, name: 'events', target: 'AWSEvents' };
    this.#running = { child, events, bus: aws.bus, webhooksUrl, quietPartner };
  }

  async registerEndpoint({ url, topic }: NewEndpoint): Promise<RegisteredEndpoint> {
    const sides = await this.#sidesOf(topic);
    const nth = sides.subscriptions;
    sides.subscriptions += 1;
    if (nth === selectors.length) sides.partner = await this.#parts.child.call('provision', `${topic} partner`);
    const { apiKey } = nth < selectors.length ? sides.merchant : sides.partner;
    const response = await fetch(`${this.#parts.webhooksUrl}/subscribe`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': apiKey },
      body: JSON.stringify({ endpoint: url, ...selectors[nth % selectors.length] }),
    });
    const { data }: Reply = JSON.parse(await response.text());
    if (!data) throw new Error(`the platform refused a subscription with ${response.status}`);
    return { id: data.subscription_id, secret: data.standard_webhooks_secret };
  }

  async #sidesOf(topic: string): Promise<Sides> {
    const known = this.#topics.get(topic);
    if (known) return known;
    const { child, quietPartner } = this.#parts;
    const sides = { merchant: await child.call('provision', topic), partner: quietPartner, subscriptions: 0 };
    this.#topics.set(topic, sides);
    return sides;
  }

  async publish(events: readonly BenchEvent[]): Promise<void> {
    const calls = Array.from({ length: Math.ceil(events.length / callLimit) }, (_, nth) =>
      events.slice(nth * callLimit, (nth + 1) * callLimit),
    );
    await atOnce(calls, parallelCalls, (batch) => this.#put(batch));
  }

  async #put(batch: readonly BenchEvent[]): Promise<void> {
    const Entries = batch.map((event) => this.#entryOf(event));
    const { FailedEntryCount } = await callAws<{ FailedEntryCount: number }>(this.#parts.events, 'PutEvents', {
      Entries,
    });
    if (FailedEntryCount > 0) throw new Error(`the bus refused ${FailedEntryCount} events`);
  }

  #entryOf({ id, topic }: BenchEvent): object {
    const sides = this.#topics.get(topic);
    const detail = {
      id,
      entityId: id,
      occurredAt: new Date().toISOString(),
      name: eventName,
      merchantId: sides?.merchant.id,
      partnerId: sides?.partner.id,
    };
    return {
      EventBusName: this.#parts.bus,
      Source: platformSource,
      DetailType: eventName,
      Detail: JSON.stringify(detail),
    };
  }

  /** The processor time and memory of the platform's process, which runs all emulators except DynamoDB Local. */
  stats(): Promise<Spent> {
    return this.#parts.child.stats();
  }

  kill(): Promise<void> {
    return this.#parts.child.call('killDeliverers');
  }

  advanceClock(ms: number): Promise<void> {
    return this.#parts.child.call('advance', ms);
  }

  async stop(): Promise<void> {
    await this.#running?.child.call('stop');
    await this.#running?.child.stop();
    this.#running = undefined;
  }
}

export const sender: Sender = new PlatformSender();
