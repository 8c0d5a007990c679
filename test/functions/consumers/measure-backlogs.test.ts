import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { handler } from '../../../functions/consumers/measure-backlogs/handler.ts';
import { dayMs } from '../../../shared/contracts/limits.ts';
import type { Measurement } from '../../../shared/contracts/metrics.ts';
import { timeOfUuid } from '../../../shared/domain/ids.ts';
import type { RewardTransaction } from '../../../shared/domain/ledger/reward-transaction.ts';
import { measureBacklogs } from '../../../shared/operations/stream/measure-backlogs.ts';
import { ProgramDesk } from '../../support/program-desk.ts';
import { makeWorld } from '../../support/world.ts';
import { deliveryScenes, failing, start } from '../../webhooks/delivery-scene.ts';

const hourMs = dayMs / 24;
const { scene } = deliveryScenes();

let desk: ProgramDesk;
beforeAll(async () => {
  desk = await ProgramDesk.open();
});
afterAll(() => desk.close());

/** The measured values. Each key is the name of a metric, followed by its `part` if there is one. */
const valuesOf = (measured: readonly Measurement[]) =>
  Object.fromEntries(measured.map(({ name, part, values }) => [part ? `${name} ${part}` : name, values[0]]));

const nothing = { waiting: async () => [] };
const noDeliveries = { countParked: () => Promise.reject(new Error('no endpoint waits')) };

/** What is measured some time after the creation of a transaction. */
const measurePrograms = ({ uuid }: RewardTransaction, afterMs: number) => {
  const now = () => new Date(timeOfUuid(uuid).getTime() + afterMs);
  const { postings } = desk.platform;
  return measureBacklogs({ postings, now, subscriptions: nothing, deliveries: noDeliveries }).then(valuesOf);
};

describe('measureBacklogs()', () => {
  it("measures transactions that wait for a partner's own program, by age", async () => {
    const account = await desk.account(1_000);
    await desk.server.order({ fault: 'fail', call: 'transactions', times: 100 });
    const awards = [await desk.pending(account), await desk.pending(account)].flat();
    for (const award of awards) await desk.post(award);
    const [, last] = awards;
    if (!last) throw new Error('there is no second award');

    expect(await measurePrograms(last, 0)).toMatchObject({
      ...{ 'PendingTransactions up to an hour': 2, 'PendingTransactions up to a day': 0 },
      ...{ 'PendingTransactions over a day': 0, WaitingPrograms: 0 },
    });
    expect(await measurePrograms(last, 2 * hourMs)).toMatchObject({
      ...{ 'PendingTransactions up to an hour': 0, 'PendingTransactions up to a day': 2, WaitingPrograms: 1 },
    });
    expect(await measurePrograms(last, 25 * hourMs)).toMatchObject({
      'PendingTransactions over a day': 2,
      WaitingPrograms: 1,
    });
  });

  it('measures endpoints that wait for a probe, and their parked deliveries', async () => {
    const { deps, message, newEvent, deliver, until } = await scene(failing(500));
    await deliver([message, ...[1, 2, 3, 4].map(() => ({ ...message, event: newEvent() }))]);
    await until(start + 60_000);
    const measured = await measureBacklogs({ ...deps, postings: nothing });
    expect(valuesOf(measured)).toMatchObject({ WaitingEndpoints: 1, ParkedDeliveries: 5, WaitingPrograms: 0 });
  });

  it('measures zero when nothing waits, so that the dashboard shows a line', async () => {
    const { platform } = await makeWorld();
    const measured = await measureBacklogs(platform);
    expect(new Set(measured.flatMap(({ values }) => values))).toEqual(new Set([0]));
    expect(measured).toHaveLength(6);
    await expect(handler()).resolves.toBeUndefined();
  });
});
