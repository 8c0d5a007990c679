import { describe, expect, it } from 'vitest';
import { contract } from '../../../functions/reward/create-transaction/contract.ts';
import { expectDocumented, type SeenReply } from '../../support/openapi/documented.ts';

/** All tests pass their replies through this check, so it must detect every undocumented part. */

const good: SeenReply = {
  status: 200,
  headers: { 'Content-Type': 'application/json; charset=utf-8', 'x-request-id': 'r-1' },
  body: { code: 'ok', data: contract.example?.reply },
};
const refusal: SeenReply = {
  ...good,
  status: 409,
  body: { error: 'transaction_already_exists', message: 'It exists', request_id: 'r-1' },
};
const expectOf = (reply: SeenReply) => expect(() => expectDocumented(contract, reply));

describe('the check of documented replies', () => {
  it('accepts a documented reply', () => {
    expectOf(good).not.toThrow();
    expectOf(refusal).not.toThrow();
  });

  const [transaction] = contract.example?.reply.reward_transactions ?? [];
  it.each<[string, SeenReply, RegExp]>([
    ['of another status', { ...good, status: 418 }, /status is not documented/],
    ['without a field', { ...good, body: { code: 'ok', data: {} } }, /reward_transactions/],
    ['with an unknown field', { ...good, body: { ...(good.body as object), more: 1 } }, /additional/],
    [
      'with a value of another type',
      { ...good, body: { code: 'ok', data: { reward_transactions: [{ ...transaction, id: '1001' }] } } },
      /must be integer/,
    ],
    ['with another identifier', { ...refusal, body: { ...(refusal.body as object), error: 'oops' } }, /allowed values/],
    ['with the identifier in another field', { ...refusal, body: { code: 'x', message: '', request_id: '' } }, /error/],
    ['without its request id', { ...good, headers: { 'content-type': 'application/json' } }, /x-request-id is missing/],
    [
      'with a header that is not documented',
      { ...good, headers: { ...good.headers, 'Retry-After': '1' } },
      /retry-after/,
    ],
    ['of another content type', { ...good, headers: { ...good.headers, 'Content-Type': 'text/plain' } }, /text\/plain/],
  ])('rejects a reply %s', (_, reply, problem) => {
    expectOf(reply).toThrow(problem);
  });
});
