import { beforeAll, describe, expect, it } from 'vitest';
import { RecentSubscriptions } from '../../shared/store/webhook/recent-subscriptions.ts';
import { HealthConflictError, Subscriptions } from '../../shared/store/webhook/subscriptions.ts';
import { newHealth } from '../../shared/webhooks/endpoint-health.ts';
import { makeTestTable, type TestTable } from '../support/test-table.ts';
import { aSubscription, newId } from '../webhooks/fixtures.ts';

let table: TestTable;
let subscriptions: Subscriptions;
beforeAll(async () => {
  table = await makeTestTable();
  subscriptions = new Subscriptions(table.client);
});

describe('stored subscriptions', () => {
  it('are returned to their own organisation only', async () => {
    const one = aSubscription({ organisationId: 1, eventName: 'transaction_created' });
    const other = aSubscription({ organisationId: 1, entityType: 2 });
    await subscriptions.create(one);
    await subscriptions.create(other);

    expect(await subscriptions.of(1)).toEqual(expect.arrayContaining([one, other]));
    expect(await subscriptions.of(1)).toHaveLength(2);
    expect(await subscriptions.of(11)).toEqual([]);
    expect(await subscriptions.find(one)).toEqual(one);
  });

  it('are not created twice with the same selector', async () => {
    const selectors = [
      {},
      { eventName: 'transaction_created' } as const,
      { entityType: 3 } as const,
      { eventName: 'transaction_created', entityType: 3 } as const,
    ];
    for (const selector of selectors) {
      expect(await subscriptions.create(aSubscription({ organisationId: 2, ...selector }))).toBe(true);
      expect(await subscriptions.create(aSubscription({ organisationId: 2, ...selector }))).toBe(false);
    }
    expect(await subscriptions.of(2)).toHaveLength(4);
  });

  it('are created once by several parallel writes with the same selector', async () => {
    const created = await Promise.all(
      Array.from({ length: 8 }, () => subscriptions.create(aSubscription({ organisationId: 3 }))),
    );
    expect(created.filter(Boolean)).toHaveLength(1);
  });

  const to = {
    ...{ endpointUrl: 'https://new.example.com/', now: new Date('2026-02-02T00:00:00.000Z') },
    nextUuid: () => newId(),
  };

  it('keep their salt when their URL changes', async () => {
    const before = aSubscription({ organisationId: 4, entityType: 1 });
    await subscriptions.create(before);
    await subscriptions.moveEndpoint(before, to);
    const { endpointUrl } = to;
    const after = { ...before, endpointUrl, updatedAt: '2026-02-02T00:00:00.000Z', healthVersion: 1 };
    expect(await subscriptions.find(before)).toEqual(after);
  });

  it('keep their URL when a writer knows only an older version', async () => {
    const before = aSubscription({ organisationId: 7 });
    await subscriptions.create(before);
    await subscriptions.writeHealth(before, { health: newHealth, events: [] }, to);
    await expect(subscriptions.moveEndpoint(before, to)).rejects.toThrow(HealthConflictError);
    expect(await subscriptions.find(before)).toMatchObject({ endpointUrl: before.endpointUrl });
  });

  it('are not created by a change of an unknown subscription', async () => {
    await expect(subscriptions.moveEndpoint(aSubscription({ organisationId: 5 }), to)).rejects.toThrow(
      HealthConflictError,
    );
    expect(await subscriptions.remove(5, {})).toBe('absent');
    expect(await subscriptions.of(5)).toEqual([]);
  });

  it('are not found by the id of an earlier subscription that was deleted', async () => {
    const old = aSubscription({ organisationId: 6 });
    await subscriptions.create(old);
    expect(await subscriptions.remove(6, {})).toBe('changed');
    await subscriptions.create(aSubscription({ organisationId: 6, subscriptionId: newId() }));

    expect(await subscriptions.find(old)).toBeUndefined();
  });
});

describe('recently read subscriptions', () => {
  const counted = () => {
    const clock = { now: new Date('2026-03-01T12:00:00.000Z') };
    const reads: number[] = [];
    const source = {
      of: async (organisationId: number) => {
        reads.push(organisationId);
        return subscriptions.of(organisationId);
      },
    };
    const recent = new RecentSubscriptions(table.client, { now: () => clock.now }, source);
    return { clock, reads, recent };
  };

  it('are read once for many events in a short time', async () => {
    const { recent, reads } = counted();
    await Promise.all(Array.from({ length: 20 }, () => recent.of(1, '2026-03-01T11:59:59.000Z')));
    expect(reads).toEqual([1]);
  });

  it('are read again for newer events and at their maximum age', async () => {
    const { recent, reads, clock } = counted();
    await recent.of(1, '2026-03-01T11:59:59.000Z');
    await recent.of(1, '2026-03-01T12:00:00.500Z');
    expect(reads).toEqual([1, 1]);

    clock.now = new Date('2026-03-01T12:00:06.000Z');
    await recent.of(1, '2026-03-01T11:59:59.000Z');
    expect(reads).toEqual([1, 1, 1]);
  });

  it('are read again when a delivery refers to a newer URL', async () => {
    const { recent, reads } = counted();
    const before = aSubscription({ organisationId: 8 });
    await subscriptions.create(before);
    expect(await recent.find(before)).toMatchObject({ endpointUrl: before.endpointUrl });
    await subscriptions.moveEndpoint(before, {
      ...{ endpointUrl: 'https://new.example.com/', now: new Date('2026-03-01T12:00:00.000Z') },
      nextUuid: () => newId(),
    });
    expect(await recent.find(before)).toMatchObject({ endpointUrl: before.endpointUrl });
    const later = { ...before, updatedAt: '2026-03-01T12:00:00.000Z' };
    expect(await recent.find(later)).toMatchObject({ endpointUrl: 'https://new.example.com/' });
    expect(reads).toEqual([8, 8]);
  });

  it('are read again after a failed read', async () => {
    let fails = true;
    const source = {
      of: async () => {
        if (fails) throw new Error('no table');
        return [];
      },
    };
    const now = () => new Date('2026-03-01T12:00:00.000Z');
    const recent = new RecentSubscriptions(table.client, { now }, source);

    await expect(recent.of(1, '2026-03-01T11:00:00.000Z')).rejects.toThrow('no table');
    fails = false;
    await expect(recent.of(1, '2026-03-01T11:00:00.000Z')).resolves.toEqual([]);
  });
});
