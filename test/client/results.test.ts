import { describe, expect, it } from 'vitest';
import { items, pages, RewardsApiError, unwrap, waitForTransaction } from '../../clients/typescript/src/index.ts';

const good = new Response();
const bad = new Response(null, { status: 404 });

/** A list of two pages; the cursors that it was called with are recorded. */
function listOfTwo() {
  const cursors: (string | undefined)[] = [];
  const load = async (cursor: string | undefined) => {
    cursors.push(cursor);
    const data = { data: { things: cursor ? [3] : [1, 2] }, cursor: { next: cursor ? null : 'second', prev: null } };
    return { data, response: good };
  };
  return { load, cursors };
}

describe('pages() and items()', () => {
  it('load a page only when the caller reads on', async () => {
    const { load, cursors } = listOfTwo();
    const seen: number[] = [];
    for await (const item of items(load, ({ data }) => data.things)) seen.push(item);
    expect([seen, cursors]).toEqual([
      [1, 2, 3],
      [undefined, 'second'],
    ]);

    const partly = listOfTwo();
    for await (const _ of pages(partly.load)) break;
    expect(partly.cursors).toEqual([undefined]);
  });

  it('throw an error when the platform refuses a page', async () => {
    const error = {
      error: 'invalid_request',
      message: 'no',
      request_id: 'r-1',
      errors: [{ pointer: '/cursor', code: 'x', message: 'y' }],
    };
    const load = async () => ({ error, response: bad });
    await expect(pages<never>(load).next()).rejects.toThrow(
      expect.objectContaining({ status: 404, identifier: 'invalid_request', requestId: 'r-1', faults: error.errors }),
    );
  });
});

describe('unwrap()', () => {
  it('returns the body of a success', () => {
    expect(unwrap({ data: { a: 1 }, response: good })).toEqual({ a: 1 });
  });

  it('throws a refusal as an error with its identifier', () => {
    const error = { code: 'transaction_does_not_exist', message: 'The transaction does not exist', request_id: 'r-1' };
    expect(() => unwrap({ error, response: bad })).toThrow(RewardsApiError);
    expect(() => unwrap({ error, response: bad })).toThrow(
      expect.objectContaining({ identifier: 'transaction_does_not_exist', faults: [] }),
    );
  });
});

describe('waitForTransaction()', () => {
  const reply = (transaction_status: number) => ({
    data: { data: { reward_transaction: { id: 1, transaction_status } } },
    response: good,
  });

  it('returns the transaction when it is no longer pending', async () => {
    const statuses = [2, 2, 3];
    const found = await waitForTransaction(async () => reply(statuses.shift() ?? 0), { firstPauseMs: 1 });
    expect(found).toEqual({ id: 1, transaction_status: 3 });
  });

  it('throws when the transaction is still pending after the timeout', async () => {
    const options = { firstPauseMs: 1, timeoutMs: 5 };
    await expect(waitForTransaction(async () => reply(1), options)).rejects.toThrow(
      /still pending after 0.005 seconds/,
    );
  });
});
