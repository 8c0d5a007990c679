import { randomUUID } from 'node:crypto';
import { marshall } from '@aws-sdk/util-dynamodb';
import type { DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import { afterAll, beforeAll, beforeEach, describe, expect, it, type MockInstance, vi } from 'vitest';
import { handler } from '../../../functions/consumers/count-changes/handler.ts';
import { measureChanges } from '../../../shared/operations/stream/measure-changes.ts';
import { type PaymentReceipt, receiptWrite } from '../../../shared/store/payment/payments.ts';
import type { Item } from '../../../shared/store/table/table-client.ts';
import { makeWorld, type World } from '../../support/world.ts';

/** All other tests run without metrics. These tests switch metrics on, and off again at the end. */
let world: World;
let spy: MockInstance<typeof process.stdout.write>;
beforeAll(async () => {
  world = await makeWorld();
  process.env.POWERTOOLS_METRICS_DISABLED = 'false';
});
afterAll(() => {
  process.env.POWERTOOLS_METRICS_DISABLED = 'true';
});
beforeEach(() => {
  spy?.mockRestore();
  spy = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
});

/** The values written since the test began. Each key is a metric, followed by its `outcome` if there is one. */
function written(): Record<string, number> {
  const lines = spy.mock.calls.flatMap(([chunk]) => String(chunk).split('\n')).filter((line) => line.includes('_aws'));
  return Object.assign(
    {},
    ...lines.map((line) => {
      const { _aws, service, outcome, ...values } = JSON.parse(line);
      expect([_aws.CloudWatchMetrics[0].Namespace, service]).toEqual(['test', 'test']);
      return Object.fromEntries(
        Object.entries(values).map(([name, value]) => [outcome ? `${name} ${outcome}` : name, value]),
      );
    }),
  );
}

const entry = (kind: string, points: number, cashbackCents = 0): Item => ({
  ...{ userId: 7, partnerId: 2, transactionId: 1, transactionUuid: randomUUID(), kind, points, cashbackCents },
  campaign: { id: world.demo.campaigns.earn, partnershipUuid: world.demo.partnership.uuid },
  ...{ createdAt: '2026-03-08T12:00:00.000Z', pk: 'LEDGER#7#2', sk: `${randomUUID()}#${kind}` },
});

function receipt(outcome: PaymentReceipt['outcome']): Item {
  const write = receiptWrite({
    ...{ receivedAt: '2026-03-08T12:00:00.000Z', platform: 'stripe', account: 'acct', merchantId: 1, outcome },
    ...{ type: 'charge.succeeded', envelopeId: randomUUID() },
  });
  if (write.kind !== 'put') throw new Error('a receipt is put');
  return write.item;
}

const deliver = (...items: Item[]) =>
  handler({
    Records: items.map((item) => ({ dynamodb: { NewImage: marshall(item) } }) as unknown as DynamoDBRecord),
  } as DynamoDBStreamEvent);

describe('a batch of changes', () => {
  it('is measured as awards, payments, reversals, restorations and cashback', async () => {
    await deliver(
      ...[entry('EARN', 127), entry('EARN', 30, 250), entry('REDEEM', -100)],
      ...[entry('EARN_REVERSAL', -30, -100), entry('REDEEM_REVERSAL', 40), entry('EARN_RESTORATION', 10)],
    );
    expect(written()).toEqual({
      ...{ Awards: 2, AwardedPoints: 157, Redemptions: 1, RedeemedPoints: 100 },
      ...{ Reversals: 2, Restorations: 1, CashbackCents: 150 },
    });
  });

  it('is measured as payment events by outcome when it contains receipts', async () => {
    await deliver(receipt('applied'), receipt('applied'), receipt('ignored'), receipt('unknown_account'));
    expect(written()).toEqual({
      'PaymentEvents applied': 2,
      'PaymentEvents ignored': 1,
      'PaymentEvents unknown_account': 1,
    });
  });

  it('writes no metric for opening balances, adjustments, payouts and settlements', async () => {
    await deliver(entry('OPENING', 500), entry('ADJUSTMENT', -20), entry('PAYOUT', 0), entry('SETTLEMENT', -5));
    expect(written()).toEqual({});
  });

  it('is measured once when it fails and is delivered again', async () => {
    const good = entry('EARN', 50);
    await expect(deliver(good, { ...entry('EARN', 50), points: 'many' })).rejects.toThrow();
    expect(written()).toEqual({});
    await deliver(good);
    expect(written()).toEqual({ Awards: 1, AwardedPoints: 50 });
  });
});

describe('measureChanges()', () => {
  it('returns no metrics for changes that are not measured', () => {
    expect(measureChanges([])).toEqual([]);
    expect(
      measureChanges([
        { pk: 'ORDER#1', sk: 'ORDER#1' },
        { pk: 'CLAIM#1', sk: 'CLAIM#1' },
      ]),
    ).toEqual([]);
  });
});
