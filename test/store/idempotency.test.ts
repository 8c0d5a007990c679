import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Idempotency, type NamedRequest } from '../../shared/store/credential/idempotency.ts';
import type { TableClient, Write } from '../../shared/store/table/table-client.ts';
import { type FaultyTable, lostAnswer, makeFaultyTable } from '../support/faulty-table.ts';

const start = new Date('2026-03-08T12:00:00.000Z');
const later = (ms: number) => new Date(start.getTime() + ms);
const lockMs = 15_000;
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

const lost = new Error('the key is lost');

/** Writes an item together with a reply. Returns the error, if any, and whether the item was written. */
async function work(scope: string, claim: string): Promise<[error: unknown, isDone: boolean]> {
  const key = { pk: `WORK#${scope}#${claim}`, sk: 'WORK' };
  const writes: Write[] = [{ kind: 'put', item: key }, idempotency.replyWrite(request(scope, claim), reply, lost)];
  const error = await faulty.client.transact(writes).catch((thrown: unknown) => thrown);
  return [error, (await faulty.client.get(key)) !== undefined];
}

async function firstReplied(): Promise<string> {
  const scope = newScope();
  await idempotency.claim(request(scope), start);
  await idempotency.keep(request(scope), reply);
  return scope;
}

describe('claim()', () => {
  it('returns "first" to only one of twenty parallel requests', async () => {
    const claims = await manyClaims(newScope(), start);

    expect(claims.filter(({ kind }) => kind === 'first')).toHaveLength(1);
    expect(claims.filter(({ kind }) => kind === 'running')).toHaveLength(19);
  });

  it('returns the stored reply for the same body', async () => {
    const scope = await firstReplied();

    expect(await idempotency.claim(request(scope, 'b'), later(1))).toEqual({ kind: 'replay', reply });
  });

  it('refuses another body before and after the first reply', async () => {
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

describe('a dead request’s key', () => {
  it('stays locked for 15 seconds', async () => {
    const scope = await firstDied();

    const running = { kind: 'running', remainingMs: lockMs };
    expect(await idempotency.claim(request(scope, 'b'), start)).toEqual(running);
    expect(await idempotency.claim(request(scope, 'b'), later(lockMs - 1))).toEqual({ ...running, remainingMs: 1 });
    expect(await idempotency.claim(request(scope, 'b'), later(lockMs))).toEqual({ kind: 'first' });
  });

  it('goes to one of twenty parallel requests after 15 seconds', async () => {
    const claims = await manyClaims(await firstDied(), later(lockMs));

    expect(claims.filter(({ kind }) => kind === 'first')).toHaveLength(1);
    expect(claims.filter(({ kind }) => kind === 'running')).toHaveLength(19);
  });

  it('cannot be changed by that request after the takeover', async () => {
    const scope = await firstDied();
    await idempotency.claim(request(scope, 'b'), later(lockMs));

    await idempotency.keep(request(scope, 'died'), { status: 500, sealedBody: 'late' });
    await idempotency.release(request(scope, 'died'));

    expect(await idempotency.claim(request(scope, 'c'), later(lockMs))).toMatchObject({ kind: 'running' });
  });

  it('prevents every write of that request after the takeover', async () => {
    const scope = await firstDied();
    await idempotency.claim(request(scope, 'b'), later(lockMs));

    expect(await work(scope, 'died')).toEqual([lost, false]);
    expect(await work(scope, 'b')).toEqual([undefined, true]);
  });

  it('is not taken over if that request stores its reply first', async () => {
    const scope = await firstDied();
    const claim = await claimAfter(async () => expect(await work(scope, 'died')).toEqual([undefined, true]), scope);
    expect(claim).toEqual({ kind: 'replay', reply });
  });

  it('is claimed anew if a third request took it over and released it meanwhile', async () => {
    const scope = await firstDied();
    const claim = await claimAfter(async () => {
      await idempotency.claim(request(scope, 'third'), later(lockMs));
      await idempotency.release(request(scope, 'third'));
    }, scope);
    expect(claim).toEqual({ kind: 'first' });
  });

  /** Claims the key. Something else happens between the first write, which is refused, and the takeover. */
  function claimAfter(happen: () => Promise<unknown>, scope: string) {
    let writes = 0;
    const table = {
      write: async (write: Write) => {
        writes += 1;
        if (writes === 2) await happen();
        return faulty.client.write(write);
      },
    };
    return new Idempotency(table as TableClient).claim(request(scope, 'b'), later(lockMs));
  }
});

describe('a finished request’s key', () => {
  it('cannot be released by that request', async () => {
    const scope = await firstDied();
    await work(scope, 'died');
    await idempotency.release(request(scope, 'died'));

    expect(await idempotency.claim(request(scope, 'b'), later(1))).toEqual({ kind: 'replay', reply });
  });

  it('keeps the first reply when that request stores another reply', async () => {
    const scope = await firstDied();
    await work(scope, 'died');
    await idempotency.keep(request(scope, 'died'), { ...reply, status: 409 });

    expect(await idempotency.claim(request(scope, 'b'), later(1))).toEqual({ kind: 'replay', reply });
  });
});

it('a request writes nothing after it released its key', async () => {
  const scope = await firstDied();
  await idempotency.release(request(scope, 'died'));

  expect(await work(scope, 'died')).toEqual([lost, false]);
  expect(await idempotency.claim(request(scope, 'b'), start)).toEqual({ kind: 'first' });
});

describe('an idempotency key after 24 hours', () => {
  it('accepts a new request with any body', async () => {
    const scope = await firstReplied();

    expect(await idempotency.claim(request(scope, 'b'), later(dayMs - 1))).toEqual({ kind: 'replay', reply });
    expect(await idempotency.claim(request(scope, 'b', 'other'), later(dayMs))).toEqual({ kind: 'first' });
    expect(await idempotency.claim(request(scope, 'c', 'body'), later(dayMs))).toEqual({ kind: 'other-body' });
  });

  it('goes to one of twenty parallel requests', async () => {
    const claims = await manyClaims(await firstReplied(), later(dayMs));

    expect(claims.filter(({ kind }) => kind === 'first')).toHaveLength(1);
  });
});

describe('claim(), when DynamoDB’s reply is lost,', () => {
  it('returns "first" for a new key', async () => {
    const lost = faulty.faults.add({ ...lostAnswer, operation: 'PutItem', nth: 1 });

    expect(await idempotency.claim(request(newScope()), start)).toEqual({ kind: 'first' });
    expect(lost.hits).toBe(1);
  });

  it('returns "first" for a key taken over', async () => {
    const scope = await firstDied();
    faulty.faults.add({ ...lostAnswer, operation: 'PutItem', nth: 2 });

    expect(await idempotency.claim(request(scope, 'b'), later(lockMs))).toEqual({ kind: 'first' });
  });
});
