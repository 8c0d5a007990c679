import { describe, expect, it } from 'vitest';
import { drift, journeyPromises } from '../../../tools/bench/cost/journeys.ts';
import { billOf, dollarsOf, invocationsOf, writeUnitsOf } from '../../../tools/cost/bill.ts';
import { counted, type JourneyCount } from '../../../tools/cost/counted.ts';
import { type Load, loads } from '../../../tools/cost/prices.ts';

const { purchase } = counted.journeys;

/** One request whose event goes through a queue to a webhook, and two records of the stream. */
const journey: JourneyCount = {
  requests: 1,
  functions: {
    'order/create-order': { messages: 1, readUnits: 2, writeUnits: 4, sharedWriteUnits: 0 },
    'consumers/count-changes': { messages: 2, readUnits: 0, writeUnits: 6, sharedWriteUnits: 4 },
    'consumers/fan-out-event': { messages: 1, readUnits: 0, writeUnits: 0, sharedWriteUnits: 0 },
    'consumers/deliver-webhook': { messages: 1, readUnits: 2, writeUnits: 1, sharedWriteUnits: 0 },
  },
  events: 1,
  sends: 1,
  webhooks: 1,
  logKb: 0,
  keptKb: 1,
  expiringKb: 1,
};

describe('the bill of a journey', () => {
  const quantityOf = (item: string, load: Load = loads.single) =>
    billOf(journey, load, 1024).find((line) => line.item === item)?.quantity;

  it('charges counter updates once for each batch', () => {
    expect(writeUnitsOf(journey, loads.single)).toBe(11);
    expect(writeUnitsOf(journey, { ...loads.busy, streamBatch: 4 })).toBe(4 + 2 + 4 / 4 + 1);
  });

  it('shares invocations among the messages of a batch', () => {
    expect(invocationsOf(journey, loads.single)).toBe(5);
    expect(invocationsOf(journey, { ...loads.busy, streamBatch: 4, queueBatch: 2 })).toBe(1 + 2 / 4 + 1 / 2 + 1 / 2);
  });

  it('charges a message for being sent, received and deleted', () => {
    expect(quantityOf('SQS requests')).toBe(2 * 3);
    expect(quantityOf('SQS fair queue')).toBe(3);
  });

  it('charges the lookups that are not cached', () => {
    expect(quantityOf('DynamoDB reads')).toBe(2 + 2 + 1 + 2);
    expect(quantityOf('DynamoDB reads', { ...loads.single, isCached: true })).toBe(2 + 2);
  });

  it('is the sum of quantities times prices', () => {
    expect(dollarsOf([{ item: 'DynamoDB writes', quantity: 10, price: 'writeUnit' }], 1_000_000)).toBe(6.25);
  });
});

describe('the accepted counts of journeys', () => {
  it('break no promise about the cost of a purchase', () => {
    expect(journeyPromises(counted).filter(({ isKept }) => !isKept)).toEqual([]);
  });

  it('show no drift when nothing changed', () => {
    expect(drift(counted)).toEqual([]);
  });

  it('show a drift when an event is added', () => {
    const dearer = { ...counted, journeys: { ...counted.journeys, purchase: { ...purchase, events: 99 } } };
    expect(drift(dearer)[0]).toBe(`journeys.purchase.events: 99, accepted ${purchase.events}`);
  });
});
