import { writeFileSync } from 'node:fs';
import { journeyPromise } from '../../../shared/contracts/promises.ts';
import { billOf, dollarsOf, invocationsOf, queueMessagesOf, writeUnitsOf } from '../../cost/bill.ts';
import {
  type Counted,
  counted,
  countedFile,
  type JourneyCount,
  type JourneyName,
  journeyNames,
} from '../../cost/counted.ts';
import { loads } from '../../cost/prices.ts';
import type { Row } from '../report.ts';
import { countResources, type JourneyWorld, openJourneyWorld } from './journey-world.ts';

/** A journey is one request with everything that it causes, up to the last webhook. */

/**
 * Makes the requests that have to come first. They are not counted. Returns the function that makes the counted
 * request.
 */
type Journey = (world: JourneyWorld) => Promise<() => Promise<unknown>>;

/** Endpoints 1 and 2. */
const buying =
  (campaign: 'earn' | 'redeem', amount: number): Journey =>
  async ({ demo, hosts, post }) =>
  async () => {
    const { accessToken } = memberOf(demo);
    const token = await post(`${hosts.reward}/reward_transaction/auth`, accessToken, {
      transaction_amount: amount,
      external_transaction_id: `bench-${campaign}-${amount}`,
      campaign_id: demo.campaigns[campaign],
    });
    const json = { reward_authentication_token: token.authentication_id };
    await post(`${hosts.reward}/reward_transaction/create`, accessToken, json);
  };

/** Endpoint 11. */
function order({ demo, hosts, post }: JourneyWorld, externalId: string): Promise<Record<string, unknown>> {
  return post(`${hosts.order}/orders/external`, demo.merchant.apiKey, {
    user: { merchant_external_id: memberOf(demo).externalId },
    transaction_total: 2_500,
    transaction_subtotal: 2_300,
    order_external_id: externalId,
  });
}

/** A payment that a merchant's own system reports (the canonical source). */
function payment(world: JourneyWorld, id: string): Promise<void> {
  const customer = { external_id: memberOf(world.demo).externalId };
  const paid = { payment_id: id, amount: 2_500, currency: 'USD', customer };
  return world.put('payment.completed', { ...paymentEvent(world, id), ...paid });
}

const paymentEvent = ({ demo }: JourneyWorld, id: string) => ({
  ...{ merchant_id: demo.merchant.id, event_id: `event-${id}`, occurred_at: new Date().toISOString() },
});

function memberOf({ members: [ada] }: JourneyWorld['demo']): JourneyWorld['demo']['members'][number] {
  if (!ada) throw new Error('the demonstration has no members');
  return ada;
}

const journeys: Readonly<Record<JourneyName, Journey>> = {
  purchase: buying('earn', 42.5),
  redemption: buying('redeem', 15),
  order: async (world) => () => order(world, 'bench-order'),
  refund: async (world) => {
    const { order_id } = await order(world, 'bench-refunded');
    const url = `${world.hosts.order}/orders/external/${order_id}/refunds`;
    return () => world.post(url, world.demo.merchant.apiKey, { refund_external_id: 'bench-refund', amount: 1_000 });
  },
  trigger: async ({ demo, hosts, post }) => {
    const url = `${hosts.base}/partnerships/${demo.partnership.uuid}/triggers`;
    const json = {
      trigger_name: demo.trigger.name,
      external_user_id: memberOf(demo).externalId,
      transaction_context: demo.trigger.context,
    };
    return () => post(url, demo.merchant.apiKey, json);
  },
  payment: async (world) => () => payment(world, 'bench-paid'),
  'payment refund': async (world) => {
    await payment(world, 'bench-paid-back');
    const refund = { payment_id: 'bench-paid-back', refund_id: 'bench-refund', amount: 1_000, currency: 'USD' };
    return () => world.put('refund.completed', { ...paymentEvent(world, 'bench-refund'), ...refund });
  },
};

/** Starts a platform from the cloud assembly, makes each journey once, and counts the units that the journey uses. */
export async function countJourneys(assembly: string, stateDirectory: string): Promise<Counted> {
  const world = await openJourneyWorld(assembly, stateDirectory);
  try {
    // Two purchases come first, and their counts are dropped. The first purchase of a member creates counters, and the
    // first invocation of a function starts it. A new endpoint receives webhooks through the slow queue until it has
    // answered five of them; a purchase sends three to each endpoint.
    for (const amount of [10, 11]) await world.count(await buying('earn', amount)(world));
    const counts: Partial<Record<JourneyName, JourneyCount>> = {};
    for (const name of journeyNames) counts[name] = await world.count(await journeys[name](world));
    return { journeys: counts as Counted['journeys'], resources: countResources(assembly) };
  } finally {
    await world.stop();
  }
}

/** A row for each journey. */
export function journeyRows(present: Counted): Row[] {
  return journeyNames.map((name) => {
    const count = present.journeys[name];
    const dollars = (load: (typeof loads)[keyof typeof loads]) =>
      dollarsOf(billOf(count, load, present.resources.memoryMb), 1_000_000).toFixed(2);
    return {
      journey: name,
      'write units': writeUnitsOf(count, loads.single),
      'read units': sumOfReads(count),
      events: count.events,
      messages: queueMessagesOf(count),
      webhooks: count.webhooks,
      'invocations alone': invocationsOf(count, loads.single),
      busy: Number(invocationsOf(count, loads.busy).toFixed(1)),
      '$ per million alone': dollars(loads.single),
      'busy ': dollars(loads.busy),
    };
  });
}

const sumOfReads = ({ functions }: JourneyCount): number =>
  Object.values(functions).reduce((sum, { readUnits }) => sum + readUnits, 0);

/** One line for each broken promise. */
export function brokenJourneyPromises({ journeys: present, resources }: Counted): string[] {
  const { purchase } = present;
  const writeUnits = writeUnitsOf(purchase, loads.single);
  const dollars = dollarsOf(billOf(purchase, loads.busy, resources.memoryMb), 1_000_000);
  const { purchaseWriteUnits, purchaseDollarsPerMillion } = journeyPromise;
  return [
    // Every journey ends with webhooks. If no webhook was sent, the wrong work was counted.
    ...journeyNames.filter((name) => present[name].webhooks === 0).map((name) => `${name}: no webhook was sent`),
    ...(writeUnits > purchaseWriteUnits ? [`purchase: ${writeUnits} write units, promised ${purchaseWriteUnits}`] : []),
    ...(dollars > purchaseDollarsPerMillion
      ? [`purchase: $${dollars.toFixed(2)} per million, promised $${purchaseDollarsPerMillion}`]
      : []),
  ];
}

/** One line for each count that differs from the accepted count. */
export function drift(present: Counted): string[] {
  const accepted = new Map(leavesOf(counted));
  const changed = leavesOf(present).filter(([path, value]) => !isSame(path, value, accepted.get(path)));
  const gone = [...accepted.keys()].filter((path) => !new Map(leavesOf(present)).has(path));
  const lines = [
    ...changed.map(([path, value]) => `${path}: ${value}, accepted ${accepted.get(path) ?? 'nothing'}`),
    ...gone.map((path) => `${path}: nothing, accepted ${accepted.get(path)}`),
  ];
  return lines.length === 0
    ? []
    : [...lines, 'accept the counts with `npm run bench cost -- --accept`, then `npm run docs`'];
}

/** Sizes vary a little, because logs and items contain durations with more or fewer digits. */
const isSame = (path: string, value: number, accepted = Number.NaN) =>
  path.endsWith('Kb') ? Math.abs(value - accepted) <= 0.3 : value === accepted;

function leavesOf(value: object, path = ''): [string, number][] {
  return Object.entries(value).flatMap(([name, inner]): [string, number][] => {
    const here = path === '' ? name : `${path}.${name}`;
    return typeof inner === 'object' && inner !== null ? leavesOf(inner, here) : [[here, Number(inner)]];
  });
}

/** Writes the counts that docs/cost.md is computed from. */
export function accept(present: Counted): void {
  writeFileSync(countedFile, `${JSON.stringify(present, null, 2)}\n`);
  console.log(`wrote ${countedFile}`);
}
