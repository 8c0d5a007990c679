import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Idempotency, type NamedRequest } from '../../shared/store/credential/idempotency.ts';
import { type FaultyTable, lostAnswer, makeFaultyTable } from '../support/faulty-table.ts';

const start = new Date('2026-03-08T12:00:00.000Z');
const later = (ms: number) => new Date(start.getTime() + ms);
const lockMs = 60_000;
const dayMs = 24 * 60 * 60 * 1000;
const reply = { status: 200, sealedBody: 'sealed' };

let faulty: FaultyTable;
let idempotency: Idempotency;
beforeAll(async () => {
  faulty = await makeFaultyTable();
  idempotency = new Idempotency(faulty.client);
});
afterEach(() => faulty.faults.clear());
afterAll(() => faulty.stop());

let names = 0;
const newScope = () => `scope-${++names}`;
const request = (scope: string, claim = 'a', bodyDigest = 'body'): NamedRequest => ({ scope, claim, bodyDigest });
const manyClaims = (scope: string, now: Date) =>
  Promise.all(Array.from({ length: 20 }, (_, number) => idempotency.claim(request(scope, `many-${number}`), now)));

async function firstDied(): Promise<string> {
  const scope = newScope();
  await idempotency.claim(request(scope, 'died'), start);
  return scope;
}

async function firstReplied(): Promise<string> {
  const scope = newScope();
  await idempotency.claim(request(scope), start);
  await idempotency.keep(request(scope), reply);
  return scope;
}

describe('a key belongs to the first request', () => {
  it('of twenty at once one works, the others hear that it runs', async () => {
    const claims = await manyClaims(newScope(), start);

    expect(claims.filter(({ kind }) => kind === 'first')).toHaveLength(1);
    expect(claims.filter(({ kind }) => kind === 'running')).toHaveLength(19);
  });

  it('the same body gets the reply that was kept', async () => {
    const scope = await firstReplied();

    expect(await idempotency.claim(request(scope, 'b'), later(1))).toEqual({ kind: 'replay', reply });
  });

  it('another body is refused, whether the first still runs or not', async () => {
    expect(await idempotency.claim(request(await firstDied(), 'b', 'other'), later(1))).toEqual({ kind: 'other-body' });
    expect(await idempotency.claim(request(await firstReplied(), 'b', 'other'), later(1))).toEqual({
      kind: 'other-body',
    });
  });

  it('a request that gave its key back unused makes place', async () => {
    const scope = newScope();
    await idempotency.claim(request(scope), start);
    await idempotency.release(request(scope));

    expect(await idempotency.claim(request(scope, 'b', 'other'), start)).toEqual({ kind: 'first' });
  });
});

describe('when the first request died', () => {
  it('its key stays locked for a minute', async () => {
    const scope = await firstDied();

    expect(await idempotency.claim(request(scope, 'b'), later(lockMs - 1))).toEqual({ kind: 'running' });
    expect(await idempotency.claim(request(scope, 'b'), later(lockMs))).toEqual({ kind: 'first' });
  });

  it('one of twenty takes it over', async () => {
    const claims = await manyClaims(await firstDied(), later(lockMs));

    expect(claims.filter(({ kind }) => kind === 'first')).toHaveLength(1);
    expect(claims.filter(({ kind }) => kind === 'running')).toHaveLength(19);
  });

  it('it can neither keep a reply nor give the key back any more', async () => {
    const scope = await firstDied();
    await idempotency.claim(request(scope, 'b'), later(lockMs));

    await idempotency.keep(request(scope, 'died'), { status: 500, sealedBody: 'late' });
    await idempotency.release(request(scope, 'died'));

    expect(await idempotency.claim(request(scope, 'c'), later(lockMs))).toEqual({ kind: 'running' });
  });
});

describe('after 24 hours', () => {
  it('the key is as new, for any body', async () => {
    const scope = await firstReplied();

    expect(await idempotency.claim(request(scope, 'b'), later(dayMs - 1))).toEqual({ kind: 'replay', reply });
    expect(await idempotency.claim(request(scope, 'b', 'other'), later(dayMs))).toEqual({ kind: 'first' });
    expect(await idempotency.claim(request(scope, 'c', 'body'), later(dayMs))).toEqual({ kind: 'other-body' });
  });

  it('one of twenty has it', async () => {
    const claims = await manyClaims(await firstReplied(), later(dayMs));

    expect(claims.filter(({ kind }) => kind === 'first')).toHaveLength(1);
  });
});

describe('a request whose claim was written while the answer was lost', () => {
  it('still works: it does not hear of itself that it runs', async () => {
    const lost = faulty.faults.add({ ...lostAnswer, operation: 'PutItem', nth: 1 });

    expect(await idempotency.claim(request(newScope()), start)).toEqual({ kind: 'first' });
    expect(lost.hits).toBe(1);
  });

  it('nor after it took the key of a dead one', async () => {
    const scope = await firstDied();
    faulty.faults.add({ ...lostAnswer, operation: 'PutItem', nth: 2 });

    expect(await idempotency.claim(request(scope, 'b'), later(lockMs))).toEqual({ kind: 'first' });
  });
});
