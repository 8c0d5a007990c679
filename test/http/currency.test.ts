import { beforeAll, describe, expect, it } from 'vitest';
import { contracts } from '../../functions/contracts.ts';
import { endpointOf, requestsTo, send } from '../support/endpoint-requests.ts';
import { makeWorld, type World } from '../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await makeWorld();
});

const withAmounts = [
  'reward/authenticate-transaction',
  'order/create-order',
  'order/refund-order',
  'reward/refund-transaction',
  'campaign/simulate-campaigns',
];

it('every endpoint with an amount is in the list', () => {
  const amounts = ['transaction_amount', 'transaction_total', 'amount'];
  const found = contracts.filter(({ example }) =>
    amounts.some((name) => Object.hasOwn(Object(example?.request), name)),
  );
  expect(found.map(endpointOf).sort()).toEqual(withAmounts.toSorted());
});

describe.each(withAmounts)('the currency of %s', (endpoint) => {
  async function sendIn(currency: unknown) {
    const request = await requestsTo(world)[endpoint]?.();
    return send(endpoint, { ...request, body: { ...Object(request?.body), currency } });
  }

  it.each(['USD', 'usd', null])('may be %j', async (currency) => {
    expect((await sendIn(currency)).status).toBe(200);
  });

  it.each(['EUR', 'eur', 'US', '', 840])('is refused as %j', async (currency) => {
    const answer = await sendIn(currency);
    expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
    expect(answer.body.errors).toMatchObject([{ pointer: '/currency' }]);
  });

  it('is refused in words that say what to do', async () => {
    const { body } = await sendIn('EUR');
    expect(body.message).toBe(
      "/currency: is not the partnership's currency, US dollars: convert the amounts and send USD, or leave it out",
    );
  });
});
