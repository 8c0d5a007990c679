import { beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { contracts } from '../../functions/contracts.ts';
import type { AnyContract } from '../../shared/contracts/contract.ts';
import { maximumCharacters } from '../../shared/contracts/limits.ts';
import { ignoredFieldsText, prepareUnknownFields } from '../../shared/http/unknown-fields.ts';
import type { Answer } from '../support/call.ts';
import { endpointOf, requestsTo, send, withHeader } from '../support/endpoint-requests.ts';
import { anOrderBody } from '../support/order-story.ts';
import { makeWorld, type World } from '../support/world.ts';

const bodies = contracts.flatMap(({ host, name, body, example }) =>
  body && example?.request ? [{ name: `${host}/${name}`, body, request: example.request }] : [],
);
const isForeign = ({ name }: { name: string }) => name === 'base/receive-payment';

it.each(bodies.filter((each) => !isForeign(each)))(
  'the body schema of $name drops unknown fields',
  ({ body, request }) => {
    const unknown = { unheard_of: [1], constructor: 'x', weight: null };
    expect(body.parse({ ...Object(request), ...unknown })).toEqual(body.parse(request));
  },
);

const unknownIn = (schema: z.ZodMiniType, body: unknown) => prepareUnknownFields({ body: schema } as AnyContract)(body);

const schema = z.pipe(
  z.object({
    transaction_discount: z.optional(z.number()),
    line_items: z.optional(z.nullable(z.array(z.object({ product_id: z.string() })))),
    transaction_context: z.record(z.string(), z.unknown()),
    foreign: z.looseObject({ type: z.string() }),
    data: z.union([
      z.object({ one: z.object({ left: z.string() }) }),
      z.object({ one: z.object({ right: z.string() }) }),
    ]),
  }),
  z.transform((value) => value),
);

describe('prepareUnknownFields()', () => {
  it('refuses a misspelt field and names the known one', () => {
    expect(unknownIn(schema, { transaction_discont: 500 })).toEqual({
      misspelt: [
        {
          pointer: '/transaction_discont',
          code: 'misspelt_field',
          message: 'is no field of this endpoint: did you mean transaction_discount?',
        },
      ],
      ignored: [],
    });
  });

  it('names a field once for all entries of a list', () => {
    const items = [{ product_id: '1' }, { product_ids: '2', colour: 'red' }, { product_ids: '3', colour: 'blue' }];
    const { misspelt, ignored } = unknownIn(schema, { line_items: items });
    expect(misspelt.map(({ pointer }) => pointer)).toEqual(['/line_items/1/product_ids']);
    expect(ignored).toEqual(['/line_items/1/colour']);
  });

  it('does not look into objects whose fields the caller chooses', () => {
    const body = { transaction_context: { transaction_discont: 1 }, foreign: { typ: 1, types: 2 } };
    expect(unknownIn(schema, body)).toEqual({ misspelt: [], ignored: [] });
  });

  it('does not look below unknown fields', () => {
    expect(unknownIn(schema, { more: { line_itms: { deeper: 1 } } }).ignored).toEqual(['/more']);
  });

  it('knows the fields of every option of a union', () => {
    const { ignored } = unknownIn(schema, { data: { one: { left: 1, right: 2, above: 3 } } });
    expect(ignored).toEqual(['/data/one/above']);
  });

  it('does not refuse a field that another endpoint has', () => {
    const { misspelt, ignored } = unknownIn(z.object({ users: z.unknown(), partner_ids: z.unknown() }), {
      user: 1,
      partner_id: 1,
    });
    expect({ misspelt, ignored }).toEqual({ misspelt: [], ignored: ['/user', '/partner_id'] });
  });

  it.each([null, 'text', 5, [], [[[{ a: 1 }]]], { line_items: 'x' }, { line_items: [[[1]]] }, { data: null }])(
    'finds nothing in %j',
    (body) => {
      expect(unknownIn(schema, body)).toEqual({ misspelt: [], ignored: [] });
    },
  );

  it('takes less than a second of the processor for the largest hostile body', () => {
    const names = Array.from({ length: 22_000 }, (_, index) => `transaction_d${String(index).padStart(7, '0')}`);
    const before = process.threadCpuUsage();
    expect(unknownIn(schema, Object.fromEntries(names.map((name) => [name, 1]))).ignored).toHaveLength(22_000);
    expect(process.threadCpuUsage(before).user / 1_000).toBeLessThan(1_000);
  });
});

describe('ignoredFieldsText()', () => {
  it('sorts the pointers and separates them by commas', () => {
    expect(ignoredFieldsText(['/b', '/a', '/line_items/0/colour'])).toBe('/a, /b, /line_items/0/colour');
  });

  it('has only characters that a header may have', () => {
    expect(ignoredFieldsText(['/a\r\nx: y', '/é', '/\ud800', '/a,b', '/~1~0'])).toMatch(/^[\w/%~., -]+$/);
  });

  it('is at most as long as the limit, and shows that fields are missing', () => {
    const long = ignoredFieldsText(Array.from({ length: 500 }, (_, index) => `/field_${index}`));
    expect(long).toMatch(/, \.\.\.$/);
    expect(long.length).toBeLessThanOrEqual(maximumCharacters.ignoredFields + 5);
    expect(ignoredFieldsText([`/${'x'.repeat(200_000)}`])).toBe('...');
  });
});

describe('a body with unknown fields', () => {
  let world: World;
  beforeAll(async () => {
    world = await makeWorld();
  });

  async function sendWith(endpoint: string, fields: object, headers: Record<string, string> = {}): Promise<Answer> {
    const request = (await requestsTo(world)[endpoint]?.()) ?? {};
    const all = { ...request, headers: { ...request.headers, ...headers } };
    if (typeof request.body === 'string') {
      return send(endpoint, { ...all, body: `${request.body}&${new URLSearchParams({ ...fields })}` });
    }
    return send(endpoint, { ...all, body: { ...Object(request.body), ...fields } });
  }

  const ours = Object.keys(requestsOf()).map((name) => ({ name }));
  function requestsOf() {
    const withBody = contracts.filter(({ body, credential }) => body && !credential.kind.endsWith('Signature'));
    return Object.fromEntries(withBody.map((contract) => [endpointOf(contract), contract]));
  }

  it.each(ours)('is accepted by $name, and the reply names the ignored fields', async ({ name }) => {
    const answer = await sendWith(name, { zebra_stripes: '1', attic_window: '2' });
    expect([200, 303]).toContain(answer.status);
    expect(answer.headers['x-ignored-fields']).toBe('/attic_window, /zebra_stripes');
  });

  it('has no header when every field is known', async () => {
    expect((await sendWith('order/create-order', {})).headers).not.toHaveProperty('x-ignored-fields');
  });

  it('that is misspelt is refused with its place, beside the other faults', async () => {
    const { transaction_total, ...rest } = anOrderBody();
    const request = { headers: { 'x-api-key': world.demo.merchant.apiKey } };
    const answer = await send('order/create-order', { ...request, body: { ...rest, transaction_totl: 5 } });
    expect(answer).toMatchObject({
      status: 400,
      body: {
        error: 'invalid_request',
        message: '/transaction_totl: is no field of this endpoint: did you mean transaction_total?, and 1 more',
        errors: [{ pointer: '/transaction_totl', code: 'misspelt_field' }, { pointer: '/transaction_total' }],
      },
    });
    expect(transaction_total).toBeGreaterThan(0);
  });

  it.each([
    ['notification/subscribe-webhook', { event_nam: 'x' }, 'invalid_subscription'],
    ['base/send-trigger', { transactionContext: {} }, 'invalid_request'],
    ['order/refund-order', { refund_external_idd: 'x' }, 'invalid_request'],
    ['order/create-order', { line_itms: [] }, 'invalid_request'],
    ['reward/authenticate-transaction', { line_itms: [] }, 'invalid_request'],
  ])('is refused by %s with the identifier of its validation', async (endpoint, fields, identifier) => {
    const { status, body } = await sendWith(endpoint, fields);
    expect([status, body.error ?? body.code]).toEqual([400, identifier]);
  });

  it('is accepted at the token endpoint, as OAuth requires', async () => {
    const answer = await sendWith('base/issue-token', { scopes: 'x' });
    expect([answer.status, answer.headers['x-ignored-fields']]).toEqual([200, '/scopes']);
  });

  it('has the header also on a repeated reply and on a refusal', async () => {
    const body = { ...anOrderBody(), unheard_of: 1 };
    const request = withHeader({ headers: { 'x-api-key': world.demo.merchant.apiKey }, body }, 'Idempotency-Key', 'u');
    await send('order/create-order', request);
    const again = await send('order/create-order', request);
    expect(again.headers).toMatchObject({ 'Idempotent-Replayed': 'true', 'x-ignored-fields': '/unheard_of' });
    const refused = await send('order/create-order', withHeader(request, 'Idempotency-Key', 'v'));
    expect(refused).toMatchObject({ status: 409, headers: { 'x-ignored-fields': '/unheard_of' } });
  });
});

describe('the bodies of the specification', () => {
  const user = { merchant_external_id: 'c', user_link_id: 1, user_id: 2 };
  const order = {
    transaction_total: 100,
    transaction_discount: 0,
    order_external_id: 'o',
    order_payment_id: 'p',
    line_items: [{ product_id: '1', product_name: 'Kettle', product_price: 100 }],
  };
  it.each([
    [
      'authenticate-transaction',
      { transaction_amount: 1, external_transaction_id: 'x', campaign_id: 1, partner_id: 1 },
    ],
    ['create-transaction', { reward_authentication_token: 'x' }],
    ['send-trigger', { trigger_name: 'x', external_user_id: 'x', user_uuid: 'x', transaction_context: { triger: 1 } }],
    ['create-order', { ...order, user, transaction_subtotal: 100 }],
    ['create-order', { ...order, users: user, merchant_external_id: 'c', transaction_sub_total: 100 }],
    ['subscribe-webhook', { endpoint: 'https://a.example', event_name: 'x', entity_type: 1 }],
    ['update-webhook', { endpoint: '', event_name: 'x', entity_type: 1 }],
  ])('have no unknown field at %s', (endpoint, body) => {
    const contract = contracts.find(({ name }) => name === endpoint) as AnyContract;
    expect(prepareUnknownFields(contract)(body)).toEqual({ misspelt: [], ignored: [] });
  });
});
