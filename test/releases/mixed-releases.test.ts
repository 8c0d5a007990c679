import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, describe, expect, it } from 'vitest';
import { awsMaximumItems } from '../../shared/contracts/limits.ts';
import { partitions } from '../../shared/contracts/table.ts';
import { folderOf } from '../../tools/bench/bundles.ts';
import { scenarios } from '../../tools/bench/cost/scenarios.ts';
import { bundleRelease, readRecording, recordedVersions } from '../../tools/releases/release.ts';
import { canonicalText, connectAccounts, paymentOf } from '../support/payment-story.ts';
import { reconcile } from '../support/reconcile.ts';
import {
  answerOf,
  consumeChanges,
  deliver,
  imagesOf,
  itemIn,
  type Kept,
  type MixedWorld,
  openMixedWorld,
} from './mixed-world.ts';

/**
 * Two releases use the same table during a deployment, and again after a rollback. These tests run the previous and the
 * present release on one table: every endpoint, every consumer of the bus, and the consumer count-changes.
 */

let kept: Kept;
beforeAll(async () => {
  const [version = ''] = recordedVersions();
  kept = { previous: await readRecording(version), present: await bundleRelease() };
});

/** Left out: this scenario writes limit usage without rewards, so the books would not reconcile. */
const onlyForCosts = 'a year of a daily limit';

/** The scenarios of the endpoints that both releases have. */
const common = ({ previous: { handlers } }: MixedWorld) =>
  scenarios.filter(({ contract, name }) => folderOf(contract) in handlers && name !== onlyForCosts);

type Side = keyof Kept;

/**
 * The release that sends the preparing requests, the one that answers the request itself, and the one whose consumers
 * run.
 */
interface Roles {
  readonly preparing: Side;
  readonly answering: Side;
  readonly consuming: Side;
}

/** Returns the requests that failed. */
async function playAll(world: MixedWorld, nth: number, { preparing, answering, consuming }: Roles): Promise<string[]> {
  const before = await imagesOf(world.table);
  const failures: string[] = [];
  for (const { contract, name, prepare } of common(world)) {
    world.playing = world[preparing];
    try {
      await answerOf(world[answering], contract, await prepare(world, nth));
    } catch (error) {
      failures.push(`${folderOf(contract)} (${name}): ${error}`);
    }
  }
  // With `nth` 0, the event is a payment. With `nth` 1, it is a refund of this payment.
  await deliver(world[answering], 'ingest-payment', JSON.parse(paymentText(world, nth)));
  await consumeChanges(world[consuming], world, before);
  return failures;
}

function paymentText(world: MixedWorld, nth: number): string {
  const paid = { payment_id: 'mixed', currency: 'USD' };
  if (nth > 0) return canonicalText(world, 'refund.completed', { ...paid, refund_id: 'mixed', amount: 1_000 });
  const customer = { external_id: world.demo.members[0]?.externalId };
  return canonicalText(world, 'payment.completed', { ...paid, amount: 2_500, customer });
}

/** The payment's amount less its refunds, in cents: only this part may earn. */
async function earningPart(world: MixedWorld): Promise<number | undefined> {
  const account = String(world.demo.merchant.id);
  return (await paymentOf(world, { platform: 'canonical', account, paymentId: 'mixed' })).netCents;
}

describe('two releases on one table', () => {
  it('are this release and the one earlier release that is recorded', () => {
    expect(recordedVersions()).toHaveLength(1);
  });

  it('understand each other while the newer release is deployed', async () => {
    const world = await openMixedWorld(kept, 'previous');
    await connectAccounts(world);
    const early = await playAll(world, 0, { preparing: 'previous', answering: 'present', consuming: 'present' });
    const late = await playAll(world, 1, { preparing: 'present', answering: 'previous', consuming: 'present' });
    await world.stop();
    expect([...early, ...late]).toEqual([]);
    expect(await earningPart(world)).toBe(1_500);
    expect(await reconcile(world.table)).toEqual([]);
  }, 120_000);

  it('understand each other after the newer release was rolled back', async () => {
    const world = await openMixedWorld(kept, 'present');
    await connectAccounts(world);
    const mixed = await playAll(world, 0, { preparing: 'present', answering: 'previous', consuming: 'previous' });
    const back = await playAll(world, 1, { preparing: 'previous', answering: 'present', consuming: 'previous' });
    await world.stop();
    expect([...mixed, ...back]).toEqual([]);
    expect(await earningPart(world)).toBe(1_500);
    expect(await reconcile(world.table)).toEqual([]);
  }, 120_000);
});

/** An attribute that a later release may add to items. */
const added = { addedLater: { points: 7 } };

/**
 * Items that are overwritten without being read, so that a new attribute is lost. A claim, a counter or a stored reply
 * is replaced after it has ended. An index entry or a log row is made again from other items. A new attribute of such
 * an item must stay optional (docs/architecture/schema-changes.md).
 */
const { claim, proof, idempotency, memberIndex, delivery } = partitions;
const replaced: readonly string[] = [claim, proof, idempotency, memberIndex, delivery];

describe('attributes of a newer release', () => {
  it('survive every request and every consumer of this release', async () => {
    const world = await openMixedWorld(kept, 'present');
    const requests = [];
    for (const { contract, prepare } of scenarios) requests.push({ contract, request: await prepare(world, 0) });

    const before = await imagesOf(world.table);
    await addTo(world, [...before.values()].map(itemIn));
    const marked = await imagesOf(world.table);
    for (const { contract, request } of requests) await answerOf(world.present, contract, request);
    // The consumers receive every item, so they also do the work that the preparing requests caused.
    await consumeChanges(world.present, world, new Map());

    const after = await imagesOf(world.table);
    const lost = [...marked.keys()].filter((key) => {
      const image = after.get(key);
      return image && !('addedLater' in image) && !replaced.some((prefix) => key.startsWith(prefix));
    });
    const rewritten = [...marked].filter(([key, image]) => JSON.stringify(after.get(key)) !== JSON.stringify(image));
    await world.stop();
    expect(lost).toEqual([]);
    expect(rewritten.length).toBeGreaterThan(50);
  }, 120_000);
});

async function addTo({ table }: MixedWorld, items: readonly Record<string, unknown>[]): Promise<void> {
  const size = awsMaximumItems.itemsPerBatch;
  for (let first = 0; first < items.length; first += size) {
    const writes = items.slice(first, first + size).map((item) => ({ PutRequest: { Item: { ...item, ...added } } }));
    await table.documents.send(new BatchWriteCommand({ RequestItems: { [table.name]: writes } }));
  }
}
