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

describe('claim() of a key', () => {
  it('returns "first" to one of twenty parallel requests and "running" to the others', async () => {
    const claims = await manyClaims(newScope(), start);

    expect(claims.filter(({ kind }) => kind === 'first')).toHaveLength(1);
    expect(claims.filter(({ kind }) => kind === 'running')).toHaveLength(19);
  });

  it('returns the stored reply for the same body', async () => {
    const scope = await firstReplied();

    expect(await idempotency.claim(request(scope, 'b'), later(1))).toEqual({ kind: 'replay', reply });
  });

  it('refuses another body, both while the first request runs and after its reply', async () => {
    expect(await idempotency.claim(request(await firstDied(), 'b', 'other'), later(1))).toEqual({ kind: 'other-body' });
    expect(await idempotency.claim(request(await firstReplied(), 'b', 'other'), later(1))).toEqual({
      kind: 'other-body',
    });
  });

  it('accepts any body after the first request released the key', async () => {
    const scope = newScope();
    await idempotency.claim(request(scope), start);
    await idempotency.release(request(scope));

    expect(await idempotency.claim(request(scope, 'b', 'other'), start)).toEqual({ kind: 'first' });
  });
});

describe('the idempotency key of a request that died', () => {
  it('stays locked for one minute', async () => {
    const scope = await firstDied();

    expect(await idempotency.claim(request(scope, 'b'), later(lockMs - 1))).toEqual({ kind: 'running' });
    expect(await idempotency.claim(request(scope, 'b'), later(lockMs))).toEqual({ kind: 'first' });
  });

  it('is given to one of twenty parallel requests after one minute', async () => {
    const claims = await manyClaims(await firstDied(), later(lockMs));

    expect(claims.filter(({ kind }) => kind === 'first')).toHaveLength(1);
    expect(claims.filter(({ kind }) => kind === 'running')).toHaveLength(19);
  });

  it('ignores a late reply and a late release by the request that died', async () => {
    const scope = await firstDied();
    await idempotency.claim(request(scope, 'b'), later(lockMs));

    await idempotency.keep(request(scope, 'died'), { status: 500, sealedBody: 'late' });
    await idempotency.release(request(scope, 'died'));

    expect(await idempotency.claim(request(scope, 'c'), later(lockMs))).toEqual({ kind: 'running' });
  });
});

describe('an idempotency key that is older than 24 hours', () => {
  it('accepts a new request with any body', async () => {
    const scope = await firstReplied();

    expect(await idempotency.claim(request(scope, 'b'), later(dayMs - 1))).toEqual({ kind: 'replay', reply });
    expect(await idempotency.claim(request(scope, 'b', 'other'), later(dayMs))).toEqual({ kind: 'first' });
    expect(await idempotency.claim(request(scope, 'c', 'body'), later(dayMs))).toEqual({ kind: 'other-body' });
  });

  it('is given to one of twenty parallel requests', async () => {
    const claims = await manyClaims(await firstReplied(), later(dayMs));

    expect(claims.filter(({ kind }) => kind === 'first')).toHaveLength(1);
  });
});

describe('claim() when the reply of DynamoDB to its write is lost', () => {
  it('returns "first" to the request that wrote the claim', async () => {
    const lost = faulty.faults.add({ ...lostAnswer, operation: 'PutItem', nth: 1 });

    expect(await idempotency.claim(request(newScope()), start)).toEqual({ kind: 'first' });
    expect(lost.hits).toBe(1);
  });

  it('returns "first" to a request that took over the key of a request that died', async () => {
    const scope = await firstDied();
    faulty.faults.add({ ...lostAnswer, operation: 'PutItem', nth: 2 });

    expect(await idempotency.claim(request(scope, 'b'), later(lockMs))).toEqual({ kind: 'first' });
  });
});
