import { consumers } from '../../functions/consumers.ts';
import { stageSettings } from '../../infra/stages.ts';
import { batchesPerShard } from '../../shared/contracts/consumer.ts';
import { awsMaximumItems, timingMs, toSeconds } from '../../shared/contracts/limits.ts';
import { scaleGoals } from '../../shared/contracts/promises.ts';
import { partitions } from '../../shared/contracts/table.ts';
import { once } from '../../shared/domain/memoize.ts';
import { type BillLine, billOf, dollarsOf, invocationMsOf, secondsOf, standingBill } from '../cost/bill.ts';
import { counted } from '../cost/counted.ts';
import { assumptions } from '../cost/prices.ts';
import { loadAt, releasesPerSecond, scaleAssumptions } from './assumptions.ts';
import { type ItemUse, type KeyOwner, limitUse, purchaseItems, unitsOf } from './purchase-items.ts';
import { type Quota, quotas } from './quotas.ts';
import { type CounterResult, simulateCounters } from './simulated/counters.ts';
import { tableTimes } from './table-times.ts';

/*
 * Computes which limits a load reaches, from what one purchase needs. All figures are averages of a second: a burst
 * above them is refused or waits.
 */

/** A load of purchases that arrive evenly, from some merchants, for the members of some partners. */
export interface PlatformLoad {
  readonly perSecond: number;
  readonly merchants: number;
  readonly partners: number;
  /**
   * The number of member limits that each purchase uses. Goals cost nothing, because they are compared with totals only
   * when a list is read.
   */
  readonly memberLimits: number;
}

/** A setting that limits the platform. */
interface Setting {
  readonly name: string;
  readonly file: string;
}

/** How a limit is raised: by AWS, by a setting, or only by a change of the code. */
type Remedy =
  | { readonly kind: 'quota'; readonly quota: Quota; readonly hint?: string }
  | { readonly kind: 'setting'; readonly setting: Setting; readonly hint?: string }
  | { readonly kind: 'design'; readonly quota?: Quota; readonly hint: string };

/** A limit, and how near a load comes to it. */
export interface Ceiling {
  readonly part: string;
  readonly name: string;
  readonly demand: number;
  readonly capacity: number;
  /** How many times the load fits into the limit. Below 1, the load exceeds the limit. */
  readonly headroom: number;
  readonly remedy: Remedy;
}

type Measured = Omit<Ceiling, 'headroom'>;

const { purchase, order } = counted.journeys;
const stage = stageSettings('production');

/** Every limit at a load, the tightest first. */
export function ceilingsAt(load: PlatformLoad): Ceiling[] {
  const measured = [
    ...requestCeilings(load),
    ...tableCeilings(load),
    ...partitionCeilings(load),
    counterCeiling(load),
    ...streamCeilings(load),
    ...functionCeilings(load),
    ...queueCeilings(load),
    ...busCeilings(load),
    sweepCeiling(load),
  ];
  return measured
    .map((one) => ({ ...one, headroom: one.capacity / one.demand }))
    .toSorted((one, other) => one.headroom - other.headroom);
}

/** Whether a limit can be raised only by a change of the code. */
export const needsDesign = ({ remedy }: Ceiling): boolean => remedy.kind === 'design';

/** What a constant load costs in a month, in dollars, with the costs that do not depend on the load. */
export function dollarsPerMonth({ perSecond, memberLimits }: PlatformLoad): number {
  const bill: readonly BillLine[] = [
    ...billOf(purchase, loadAt(perSecond), counted.resources.memoryMb),
    { item: 'Uses of limits', quantity: memberLimits * (limitUse.writeUnits ?? 0), price: 'writeUnit' },
  ];
  return dollarsOf(bill, perSecond * scaleAssumptions.secondsPerMonth) + dollarsOf(standingBill(counted), 1);
}

const byQuota = (quota: Quota, hint?: string) => ({
  capacity: quota.value,
  remedy: { kind: 'quota', quota, ...(hint !== undefined && { hint }) } as const,
});

const bySetting = (name: string, file: string, hint?: string): Remedy => ({
  kind: 'setting',
  setting: { name, file },
  ...(hint !== undefined && { hint }),
});

/**
 * The limits of WAF, of the host's throttle and of API Gateway. The model gives the servers of each merchant one
 * address.
 */
function requestCeilings({ perSecond, merchants }: PlatformLoad): Measured[] {
  const { webRateLimit, throttle } = stage;
  const windowSeconds = toSeconds(timingMs.rateWindow);
  const requests = perSecond * purchase.requests;
  return [
    {
      ...{ part: 'WAF', name: 'one address of a merchant', demand: requests / merchants },
      capacity: webRateLimit.perIp / windowSeconds,
      remedy: bySetting('webRateLimit.perIp', 'infra/stages.ts', 'or more addresses of the merchant'),
    },
    {
      // Only orders use the key of the merchant. Requests of endpoints 1 and 2 have a member's token in the header
      // instead.
      ...{ part: 'WAF', name: 'one key of a merchant that sends orders (endpoint 11)' },
      demand: (perSecond * order.requests) / merchants,
      capacity: webRateLimit.perApiKey / windowSeconds,
      remedy: bySetting('webRateLimit.perApiKey', 'infra/stages.ts', 'or more keys of the merchant'),
    },
    {
      ...{ part: 'API Gateway', name: 'throttle of the host reward', demand: requests },
      capacity: (throttle.hosts.reward ?? throttle.default).ratePerSecond,
      remedy: bySetting('throttle.hosts.reward', 'infra/stages.ts'),
    },
    { part: 'API Gateway', name: 'account and region', demand: requests, ...byQuota(quotas.gatewayRequests) },
  ];
}

const isInTable = ({ index }: ItemUse): boolean => index === undefined;
const isInDue = ({ index }: ItemUse): boolean => index === 'due';

/** The share of an access that belongs to one purchase, if a batch makes the access once for all its purchases. */
const shareAt = (perSecond: number) => {
  const load = loadAt(perSecond);
  return ({ onceFor }: ItemUse): number => (onceFor === undefined ? 1 : 1 / load[onceFor]);
};

/** Write units of the table without its indexes. */
function tableWritesAt({ perSecond, memberLimits }: PlatformLoad): number {
  const ofLimits = memberLimits * (limitUse.writeUnits ?? 0);
  return perSecond * (unitsOf('writeUnits', isInTable, shareAt(perSecond)) + ofLimits);
}

/** The limits of the table and of its busiest index. AWS counts the writes of a table and of each index separately. */
function tableCeilings(load: PlatformLoad): Measured[] {
  const { perSecond } = load;
  const writes = tableWritesAt(load);
  const reads = perSecond * unitsOf('readUnits', isInTable, shareAt(perSecond));
  const dueWrites = perSecond * unitsOf('writeUnits', isInDue);
  const warm = 'warm throughput of table and indexes before the start, or a slow start';
  return [
    { part: 'table', name: 'writes, new table', demand: writes, ...byQuota(quotas.newTableWrites, warm) },
    { part: 'table', name: 'writes', demand: writes, ...byQuota(quotas.tableWrites) },
    { part: 'table', name: 'reads, new table', demand: reads, ...byQuota(quotas.newTableReads, warm) },
    { part: 'table', name: 'reads', demand: reads, ...byQuota(quotas.tableReads) },
    { part: 'table', name: 'writes of the index due, new', demand: dueWrites, ...byQuota(quotas.newTableWrites, warm) },
    { part: 'table', name: 'writes of the index due', demand: dueWrites, ...byQuota(quotas.tableWrites) },
  ];
}

/** How to reduce the load on the partition of a key, by the prefix of the key. */
const partitionHints: Readonly<Record<string, string>> = {
  'MERCHANT#': 'keep the campaigns of a merchant in memory for some seconds',
  'ORGANISATION#': 'keep the program of a partner in memory for some seconds',
  'WEBHOOK#': 'read the list once for a batch of several events',
  'DELIVERY#': 'more partitions of a subscription, chosen by two digits of the event id',
  'DUE#': 'more shards of a minute',
};

/** The limits of hot keys: keys that all purchases of one merchant or partner share. */
function partitionCeilings(load: PlatformLoad): Measured[] {
  const share = shareAt(load.perSecond);
  const byKey = Map.groupBy(purchaseItems.filter(isHot), ({ prefix, owner }) => `${prefix}, one ${owner}`);
  return [...byKey].flatMap(([name, uses]) => {
    const [first] = uses;
    if (!first) return [];
    const each = load.perSecond / ownersAt(load, first.owner);
    const of = (kind: 'readUnits' | 'writeUnits') =>
      each *
      unitsOf(
        kind,
        (use) => uses.includes(use),
        (use) => share(use) * (use.busiestShare ?? 1),
      );
    const kinds = [
      { kind: 'writes', demand: of('writeUnits'), quota: quotas.partitionWrites },
      { kind: 'reads', demand: of('readUnits'), quota: quotas.partitionReads },
    ];
    return kinds
      .filter(({ demand }) => demand > 0)
      .map(({ kind, demand, quota }): Measured => {
        const hint = partitionHints[first.prefix] ?? 'spread the key';
        return {
          ...{ part: 'partition', name: `${kind} of ${name}`, demand, capacity: quota.value },
          remedy: { kind: 'design', quota, hint },
        };
      });
  });
}

/**
 * Whether a key is hot. The counters of a campaign are left out, because their writes cannot be counted for one
 * purchase: refused writes are repeated. {@link simulateCountersAt} simulates them.
 */
const isHot = ({ owner, prefix }: ItemUse): boolean =>
  owner !== 'purchase' && owner !== 'member' && prefix !== partitions.partnership;

function ownersAt({ merchants, partners }: PlatformLoad, owner: KeyOwner): number {
  if (owner === 'merchant') return merchants;
  return owner === 'partner' ? partners : 1;
}

/** The shards of the stream: one for each partition of the table. A new table has four partitions. */
export function shardsAt(load: PlatformLoad): number {
  const perPartition = quotas.partitionWrites.value;
  return Math.max(quotas.newTableWrites.value / perPartition, Math.ceil(tableWritesAt(load) / perPartition));
}

/**
 * The model raises the rate of one campaign's ledger entries in steps of this size, until the counters cannot keep up.
 */
const counterStep = 500;

/** Simulates the counters of a load: each merchant has one campaign. A large load is simulated for a shorter time. */
export function simulateCountersAt(load: PlatformLoad): CounterResult {
  const { perSecond: entriesPerSecond, merchants: campaigns } = load;
  const seconds = Math.ceil(Math.min(60, 100_000 / entriesPerSecond));
  return simulateCounters({ entriesPerSecond, campaigns, readers: shardsAt(load) * batchesPerShard, seconds });
}

/** Whether the counters keep up with a load. */
export const keepsCounting = (load: PlatformLoad): boolean =>
  simulateCountersAt(load).secondsBehind <= scaleGoals.counterSeconds;

/** The most ledger entries of one campaign that are counted in a second, according to the simulation. */
const countedEntriesPerSecond = once(() => {
  let perSecond = counterStep;
  while (keepsCounting({ perSecond: perSecond + counterStep, merchants: 1, partners: 1, memberLimits: 0 })) {
    perSecond += counterStep;
  }
  return perSecond;
});

function counterCeiling({ perSecond, merchants }: PlatformLoad): Measured {
  return {
    ...{ part: 'partition', name: 'counters of one campaign (simulated)', demand: perSecond / merchants },
    capacity: countedEntriesPerSecond(),
    remedy: { kind: 'design', quota: quotas.partitionWrites, hint: 'counters of a campaign in several partitions' },
  };
}

const used = consumers.filter(({ name }) => messagesOf(name) > 0);

function messagesOf(name: string): number {
  return purchase.functions[`consumers/${name}`]?.messages ?? 0;
}

/**
 * The limits of the stream's readers. Each shard has a fixed number of batches at a time; a new batch waits until one
 * ends.
 */
function streamCeilings(load: PlatformLoad): Measured[] {
  const shards = shardsAt(load);
  return used.flatMap(({ name, source }): Measured[] => {
    if (source.kind !== 'stream') return [];
    const perShard = (batchesPerShard * source.batchSize) / streamBatchSeconds(name, source.batchSize);
    return [
      {
        ...{ part: 'stream', name, demand: load.perSecond * messagesOf(name), capacity: shards * perShard },
        remedy: bySetting('batchesPerShard', 'shared/contracts/consumer.ts', 'at most 10'),
      },
    ];
  });
}

/**
 * The seconds of one batch. relay-outbox calls the bus with ten events at a time, one call after the other;
 * count-changes makes one transaction for its counters.
 */
function streamBatchSeconds(name: string, batchSize: number): number {
  const { consumerMs } = assumptions;
  const calls = Math.ceil(batchSize / awsMaximumItems.entriesPerSend);
  const writesMs = tableTimes.transactionMs(awsMaximumItems.itemsPerTransaction);
  return (name === 'relay-outbox' ? calls * consumerMs : consumerMs + writesMs) / 1_000;
}

/**
 * The limits of Lambda for concurrent invocations, and the limits of KMS for requests of the table's data key. Each
 * running invocation requests the key from time to time.
 */
function functionCeilings({ perSecond }: PlatformLoad): Measured[] {
  const invocations = perSecond * secondsOf(purchase, loadAt(perSecond));
  const keyRequests = invocations / scaleAssumptions.dataKeySeconds;
  return [
    { part: 'Lambda', name: 'concurrency, new account', demand: invocations, ...byQuota(quotas.newAccountConcurrency) },
    { part: 'Lambda', name: 'concurrency', demand: invocations, ...byQuota(quotas.concurrency) },
    { part: 'KMS', name: 'requests for the key of the table', demand: keyRequests, ...byQuota(quotas.keyRequests) },
  ];
}

/**
 * The limits of each queue: how many invocations of its function run at once, and how many messages are in flight. Every
 * batch is assumed to be full.
 */
function queueCeilings({ perSecond }: PlatformLoad): Measured[] {
  return used.flatMap(({ name, source }): Measured[] => {
    if (source.kind !== 'queue' && source.kind !== 'bus') return [];
    const { batchSize, maxConcurrency } = source;
    const inFlight = (perSecond * messagesOf(name) * invocationMsOf(`consumers/${name}`)) / 1_000;
    const invocations = { part: 'queue', name: `invocations of ${name}`, demand: inFlight / batchSize };
    const own = {
      ...{ ...invocations, name: `${invocations.name}, own maximum`, capacity: maxConcurrency },
      remedy: bySetting(
        'maxConcurrency',
        `functions/consumers/${name}/consumer.ts`,
        'at most 1,000; then provisioned pollers',
      ),
    };
    return [
      own,
      { ...invocations, ...byQuota(quotas.queueConcurrency, 'or provisioned pollers') },
      { part: 'queue', name: `messages in flight of ${name}`, demand: inFlight, ...byQuota(quotas.messagesInFlight) },
    ];
  });
}

/**
 * The limits of the bus: how many events functions put on it, and how many deliveries its rules make. Each event is
 * assumed to be a request of its own.
 */
function busCeilings({ perSecond }: PlatformLoad): Measured[] {
  const deliveries = used
    .filter(({ source }) => source.kind === 'bus')
    .reduce((sum, { name }) => sum + messagesOf(name), 0);
  const late = 'above it events are late, and none is lost';
  return [
    { part: 'bus', name: 'events', demand: perSecond * purchase.events, ...byQuota(quotas.busRequests) },
    { part: 'bus', name: 'deliveries', demand: perSecond * deliveries, ...byQuota(quotas.busInvocations, late) },
  ];
}

/** The limit of release-expired, which releases the tokens that expire unused. */
function sweepCeiling({ perSecond }: PlatformLoad): Measured {
  return {
    ...{ part: 'sweep', name: 'release-expired', demand: perSecond * scaleAssumptions.abandonedShare },
    capacity: releasesPerSecond,
    remedy: { kind: 'design', hint: 'release several tokens at the same time' },
  };
}
