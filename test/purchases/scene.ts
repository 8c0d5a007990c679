import { consumer as countChangesConsumer } from '../../functions/consumers/count-changes/consumer.ts';
import { consumer as relayConsumer } from '../../functions/consumers/relay-outbox/consumer.ts';
import type { RelayedEvent } from '../../shared/contracts/events.ts';
import { integerIdOf, uuidOf } from '../../shared/domain/ids.ts';
import { createMember } from '../../shared/operations/member/manage-members.ts';
import type { Sources } from '../../shared/operations/operation.ts';
import { createPartnership } from '../../shared/operations/partnership/manage-partnership.ts';
import { connectPaymentAccount } from '../../shared/operations/payment/manage-payments.ts';
import { addsEvents, relayOutbox } from '../../shared/operations/stream/relay-outbox.ts';
import { composePlatform, type Platform } from '../../shared/runtime/platform.ts';
import { readConfig } from '../../shared/runtime/runtime.ts';
import { addCampaign } from '../support/campaigns.ts';
import { provisionOrganisation } from '../support/provision.ts';
import { MemoryTable } from './memory-table.ts';
import { type Consumers, openConsumers } from './settling.ts';
import { streamFilterOf } from './stream.ts';

/** The rates of the scene's campaigns. None of them divides a cent evenly, so every rounding shows. */
export const rates = { pointsPerDollarBp: 33_300, cashbackBp: 150, pointValueMicros: 7_000 };

/** The points that the member has at the beginning: more than all reversals together need. */
export const openingPoints = 50_000;

/** The instant at which every history begins. Each step takes a second. */
const startsAt = Date.parse('2026-11-20T12:00:00.000Z');
const stepMs = 1_000;

/** Time and identifiers that are the same in every run, and go back with the table. */
export class Steps {
  #step = 0;
  #ids = 0;

  readonly sources: Sources = {
    now: () => new Date(startsAt + this.#step * stepMs),
    random: (bytes) => new Uint8Array(bytes).fill(++this.#ids),
    nextUuid: () => this.#nextUuid(),
    nextIds: () => {
      const uuid = this.#nextUuid();
      return { uuid, id: integerIdOf(uuid) ?? 0 };
    },
  };

  next(): void {
    this.#step += 1;
  }

  passTime(milliseconds: number): void {
    this.#step += milliseconds / stepMs;
  }

  snapshot(): () => void {
    const [step, ids] = [this.#step, this.#ids];
    return () => {
      this.#step = step;
      this.#ids = ids;
    };
  }

  /** The number is in the random bits of the integer id, so no two ids of a history are equal. */
  #nextUuid(): string {
    this.#ids += 1;
    const number = new Uint8Array(10);
    new DataView(number.buffer).setUint16(0, this.#ids);
    new DataView(number.buffer).setUint32(6, this.#ids);
    return uuidOf(this.sources.now(), number);
  }
}

/** The merchant, program, campaigns and member of all histories, and the consumers that run between statements. */
export interface Scene {
  readonly platform: Platform;
  readonly table: MemoryTable;
  readonly steps: Steps;
  readonly consumers: Consumers;
  readonly merchantId: number;
  readonly partnerId: number;
  readonly earnId: number;
  readonly redeemId: number;
  readonly userId: number;
  /** Errors of consumers that no repetition could avoid. */
  readonly stuck: string[];
  /** Returns to the present state. */
  readonly snapshot: () => () => void;
}

/** The id by which the merchant knows the member. */
export const externalUserId = 'cust-1';

export async function makeScene(): Promise<Scene> {
  const table = new MemoryTable();
  const steps = new Steps();
  const platform = composePlatform(readConfig({ STAGE: 'local', TABLE_NAME: 'memory' }), {
    table,
    sources: steps.sources,
  });
  const merchant = await provisionOrganisation(platform, { name: 'Corner Coffee', kind: 'MERCHANT' });
  const partner = await provisionOrganisation(platform, { name: 'Skyline Miles', kind: 'PARTNER' });
  const partnership = await createPartnership(
    {
      ...{ name: 'Corner Coffee × Skyline Miles', description: null, allowsCashback: true },
      ...{ merchantId: merchant.id, partnerId: partner.id },
    },
    platform,
  );
  const demo = { partnership, merchant, partner };
  const spend = { type: 'SPEND' } as const;
  const owned = { ownerId: partner.id };
  const earn = await addCampaign({ platform, demo }, [
    {
      ...{ id: 1, trigger: spend },
      actions: [
        { ...owned, id: 2, kind: 'AWARD_POINTS', pointsPerDollarBp: rates.pointsPerDollarBp },
        { ...owned, id: 3, kind: 'AWARD_CASHBACK', shareBp: rates.cashbackBp },
      ],
    },
  ]);
  const redeem = await addCampaign(
    { platform, demo },
    [
      {
        ...{ id: 1, trigger: spend },
        actions: [{ ...owned, id: 2, kind: 'REDEEM_POINTS', pointValueMicros: rates.pointValueMicros }],
      },
    ],
    { type: 'REDEEM' },
  );
  const member = await createMember(
    {
      ...{ firstName: 'Mary', lastName: 'Somerville', email: 'mary@example.com' },
      merchant: { id: merchant.id, externalId: externalUserId },
      program: { partnerId: partner.id, externalId: externalUserId, statusTierId: null, points: openingPoints },
    },
    platform,
  );
  const account = { merchant: String(merchant.id), capture: 'automatic', account: String(merchant.id) } as const;
  await connectPaymentAccount({ ...account, platform: 'canonical' }, platform);
  await platform.platformKeys.of('payment-emails');
  table.takeChanges();
  const stuck: string[] = [];
  return {
    consumers: openConsumers(platform),
    ...{ platform, table, steps, stuck, merchantId: merchant.id, partnerId: partner.id },
    ...{ earnId: earn.id, redeemId: redeem.id, userId: member.user.id },
    snapshot: () => {
      const [backToItems, backToStep, faults] = [table.snapshot(), steps.snapshot(), stuck.length];
      return () => {
        backToItems();
        backToStep();
        stuck.length = faults;
      };
    },
  };
}

const isRelayed = streamFilterOf(relayConsumer);
const isCounted = streamFilterOf(countChangesConsumer);

/** How often a message that fails is delivered again, and the time between two deliveries. Tokens expire meanwhile. */
const deliveries = 4;
const redeliveryMs = 240_000;

/** How consumers receive events. */
export interface Delivery {
  /** Which of the waiting events they receive first. */
  readonly first: 'oldest' | 'latest';
  /** Whether they receive every event a second time, when nothing is left to do. */
  readonly isRepeated: boolean;
}

/** Runs all consumers until nothing is left to do. */
export async function rest(scene: Scene, { first, isRepeated }: Delivery): Promise<void> {
  const delivered = await deliverAll(scene, first, await readStream(scene));
  if (isRepeated) await deliverAll(scene, first, delivered);
}

/** Delivers events, and the events that follow from them. Returns all of them. */
async function deliverAll(
  scene: Scene,
  first: Delivery['first'],
  events: readonly RelayedEvent[],
): Promise<RelayedEvent[]> {
  const delivered: RelayedEvent[] = [];
  let waiting = [...events];
  for (let delivery = 1; waiting.length > 0 && delivery <= deliveries; delivery += 1) {
    const failed: { readonly event: RelayedEvent; readonly error: unknown }[] = [];
    const next = () => (first === 'oldest' ? waiting.shift() : waiting.pop());
    for (let event = next(); event; event = next()) {
      const present = event;
      delivered.push(present);
      scene.steps.next();
      await scene.consumers.deliver(present)?.catch((error: unknown) => failed.push({ event: present, error }));
      waiting.push(...(await readStream(scene)));
    }
    if (delivery === deliveries) scene.stuck.push(...failed.map(({ event, error }) => `${event.name}: ${error}`));
    waiting = failed.map(({ event }) => event);
    if (waiting.length > 0) scene.steps.passTime(redeliveryMs);
  }
  return delivered;
}

/** Lets the consumers of the stream read the latest changes. Returns the events that the relay publishes. */
async function readStream({ table, platform, consumers }: Scene): Promise<RelayedEvent[]> {
  const published: RelayedEvent[] = [];
  const bus = {
    publish: async (events: readonly RelayedEvent[]) => {
      published.push(...events);
      return { settled: events.length, refused: [] };
    },
  };
  const deadLetters = { add: async (body: string, reason: string) => Promise.reject(new Error(`${reason}: ${body}`)) };
  for (let changes = table.takeChanges(); changes.length > 0; changes = table.takeChanges()) {
    const relayed = changes.flatMap((change) => {
      const { before, after } = change;
      const isNew = isRelayed(change) && after && addsEvents(after, before);
      return isNew ? [{ item: after, sequenceNumber: undefined, toInput: () => ({}) }] : [];
    });
    if (relayed.length > 0) await relayOutbox(relayed, { bus, deadLetters, log: platform.log });
    const counted = changes.flatMap((change) => (change.after && isCounted(change) ? [change.after] : []));
    if (counted.length > 0) await consumers.count(counted);
  }
  return published;
}
