import { writeFileSync } from 'node:fs';
import { journeyPromise } from '../../../shared/contracts/promises.ts';
import { billOf, dollarsOf, invocationsOf, queueMessagesOf, writeUnitsOf } from '../../cost/bill.ts';
import { type Counted, counted, countedFile, type JourneyCount, type JourneyName } from '../../cost/counted.ts';
import { loads } from '../../cost/prices.ts';
import { atMost, type PromiseRow, promiseWithout } from '../bench.ts';
import type { Row } from '../report.ts';
import { countResources, type JourneyWorld, type JourneyWorldOptions, openJourneyWorld } from './journey-world.ts';

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

/** The counts of some journeys. The purchase is always among them. */
export interface JourneyCounts extends Pick<Counted, 'resources'> {
  readonly journeys: Partial<Counted['journeys']> & Pick<Counted['journeys'], 'purchase'>;
}

interface CountOptions extends JourneyWorldOptions {
  /** The journeys to make in addition to a purchase. */
  readonly names: readonly JourneyName[];
  /** The purchases that come first, and do not count. */
  readonly warmUps: number;
}

/** Starts a platform from the cloud assembly, makes each journey once, and counts the units that the journey uses. */
export async function countJourneys({ names, warmUps, ...options }: CountOptions): Promise<JourneyCounts> {
  const world = await openJourneyWorld(options);
  const count = async (name: JourneyName) => world.count(await journeys[name](world));
  try {
    // The counts of the warm-ups are dropped. The first purchase of a member creates counters, and the first invocation
    // of a function starts it. A new endpoint receives webhooks through the slow queue until it has answered five of
    // them; a purchase sends three to each endpoint. So two warm-ups are enough.
    for (let nth = 0; nth < warmUps; nth += 1) await world.count(await buying('earn', 10 + nth)(world));
    const counts: Partial<Record<JourneyName, JourneyCount>> = {};
    const purchase = await count('purchase');
    for (const name of names) counts[name] = await count(name);
    return { journeys: { purchase, ...counts }, resources: countResources(options.assembly) };
  } finally {
    await world.stop();
  }
}

/** A row for each journey. */
export function journeyRows(present: JourneyCounts): Row[] {
  return Object.entries(present.journeys).map(([name, count]) => {
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

/** The promises about a purchase. */
export function journeyPromises({ journeys: present, resources }: JourneyCounts): PromiseRow[] {
  const { purchase } = present;
  const writeUnits = writeUnitsOf(purchase, loads.single);
  const dollars = dollarsOf(billOf(purchase, loads.busy, resources.memoryMb), 1_000_000);
  const { purchaseWriteUnits, purchaseDollarsPerMillion } = journeyPromise;
  const silent = Object.entries(present).filter(([, { webhooks }]) => webhooks === 0);
  return [
    // If no webhook was sent, the wrong work was counted.
    promiseWithout(
      silent.map(([name]) => `${name}: no webhook was sent`),
      'every journey ends with webhooks',
    ),
    atMost('write units of a purchase', { figure: writeUnits, promised: purchaseWriteUnits }),
    atMost('a million purchases', {
      figure: dollars,
      promised: purchaseDollarsPerMillion,
      inWords: (sum) => `$${sum.toFixed(2)}`,
    }),
  ];
}

/** One line for each count that differs from the accepted count. */
export function drift(present: JourneyCounts): string[] {
  const accepted = new Map(leavesOf(counted));
  const changed = leavesOf(present).filter(([path, value]) => !isSame(path, value, accepted.get(path)));
  const gone = [...accepted.keys()].filter((path) => !new Map(leavesOf(present)).has(path));
  return [
    ...changed.map(([path, value]) => `${path}: ${value}, accepted ${accepted.get(path) ?? 'nothing'}`),
    ...gone.map((path) => `${path}: nothing, accepted ${accepted.get(path)}`),
  ];
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
export function accept(present: JourneyCounts): void {
  writeFileSync(countedFile, `${JSON.stringify(present, null, 2)}\n`);
  console.log(`wrote ${countedFile}`);
}
