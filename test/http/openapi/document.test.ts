import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, it } from 'vitest';
import { contracts } from '../../../functions/contracts.ts';
import { hosts } from '../../../shared/contracts/contract.ts';
import { eventNames } from '../../../shared/contracts/events.ts';
import { documentOf, operationsOf } from '../../support/openapi/documents.ts';
import { faultsOf, validatorAt } from '../../support/openapi/schemas.ts';

describe.each(hosts)('OpenAPI document of the %s host', (host) => {
  const document = documentOf(host);
  const operations = operationsOf(document);

  it('is valid for an independent OpenAPI 3.1 validator', async () => {
    const validator = new Validator();
    expect(await validator.validate(structuredClone(document))).toEqual({ valid: true });
    expect(validator.version).toBe('3.1');
  });

  it('contains every endpoint of the host', () => {
    const own = contracts.filter((contract) => contract.host === host);
    const documented = operations.map(({ method, path }) => `${method.toUpperCase()} ${path}`);
    expect(documented.toSorted()).toEqual(own.map(({ method, path }) => `${method} ${path}`).toSorted());
  });

  it('has examples that match their schemas', () => {
    const contents = operations.flatMap(({ path, method, operation }) =>
      contentsOf(['paths', path, method], operation),
    );
    for (const { place, content } of contents) {
      const validate = validatorAt(host, [...place, 'schema']);
      if ('example' in content) expect(validate(content.example), `${place}: ${faultsOf(validate)}`).toBe(true);
    }
  });
});

/** Finds every `content` of an operation. `place` is the path to this `content`. */
function contentsOf(place: string[], operation: object): { place: string[]; content: object }[] {
  return Object.entries(operation).flatMap(([name, part]) => {
    if (typeof part !== 'object' || part === null) return [];
    const here = [...place, name];
    if (name !== 'content') return contentsOf(here, part);
    return Object.entries(part).map(([type, content]) => ({ place: [...here, type], content: content as object }));
  });
}

describe('all OpenAPI documents together', () => {
  it('use each operation id once', () => {
    const ids = hosts.flatMap((host) => operationsOf(documentOf(host)).map(({ operation }) => operation.operationId));
    expect(ids.toSorted()).toEqual([...new Set(ids)].toSorted());
  });

  it('contain each event as a webhook of the notification host', () => {
    expect(Object.keys(documentOf('notification').webhooks as object)).toEqual(eventNames);
  });
});

describe.each(contracts.filter(({ summary }) => summary.startsWith('Endpoint ')))(
  'example of $method $host $path',
  ({ example, body, data }) => {
    it('matches the schemas of the contract', () => {
      expect(data.safeParse(example?.reply).error?.issues).toBeUndefined();
      if (body) expect(body.safeParse(example?.request).error?.issues).toBeUndefined();
      expect(data.parse(example?.reply)).toEqual(example?.reply);
    });
  },
);

describe('the documented requests', () => {
  const operationOf = (host: (typeof hosts)[number], method: string, path: string) =>
    operationsOf(documentOf(host)).find((each) => each.path === path && each.method === method)?.operation as {
      parameters?: { name: string; required: boolean; schema: { type: string } }[];
      responses: object;
    };
  const placeOf = (path: string) => ['paths', path, 'post', 'requestBody', 'content', 'application/json', 'schema'];
  const order = { transaction_total: 1, order_external_id: 'o' };

  it.each([
    [true, { ...order, user: { user_id: 1 }, transaction_subtotal: 1 }],
    [true, { ...order, users: {}, merchant_external_id: 'c', transaction_sub_total: 1 }],
    [false, { ...order, transaction_subtotal: 1 }],
    [false, { ...order, user: { user_id: 1 } }],
  ])('of endpoint 11 are valid (%s) with the user and the subtotal in one of their spellings', (isValid, body) => {
    expect(validatorAt('order', placeOf('/orders/external'))(body)).toBe(isValid);
  });

  it.each([
    [true, { user_id: 1, transaction_amount: 1 }],
    [false, { user_id: 1 }],
    [false, { transaction_amount: 1 }],
  ])('of a simulation are valid (%s) with a user and an event', (isValid, body) => {
    expect(validatorAt('campaign', placeOf('/campaigns/simulate'))(body)).toBe(isValid);
  });

  it.each([
    ['user', 'get', '/users/{id}', 'id', 'integer'],
    ['user', 'post', '/users/{id}/unlink', 'id', 'integer'],
    ['base', 'get', '/users/{id}', 'id', 'string'],
    ['reward', 'get', '/transactions/{reward_transaction_id}', 'reward_transaction_id', 'integer'],
    ['reward', 'post', '/transactions/{reward_transaction_id}/refunds', 'reward_transaction_id', 'string'],
    ['campaign', 'get', '/campaigns', 'campaign_types', 'string'],
  ] as const)('of %s %s %s require %s, a value of the type %s', (host, method, path, name, type) => {
    const parameter = operationOf(host, method, path).parameters?.find((each) => each.name === name);
    expect([parameter?.required, parameter?.schema.type]).toEqual([true, type]);
  });

  it('have a bound for every path parameter', () => {
    const parameters = hosts.flatMap((host) =>
      operationsOf(documentOf(host)).flatMap(({ path, operation }) =>
        ((operation.parameters ?? []) as { in: string; name: string; schema: { type: string } }[])
          .filter((each) => each.in === 'path')
          .map((each) => ({ path, ...each })),
      ),
    );
    for (const { path, name, schema } of parameters) {
      expect(schema, `${name} in ${path}`).toEqual(
        schema.type === 'integer' ? { type: 'integer', minimum: 1 } : { type: 'string', maxLength: 256 },
      );
    }
    expect(parameters.length).toBeGreaterThan(15);
  });

  it('may be answered with 400 by every POST and PUT that takes an Idempotency-Key', () => {
    const writes = hosts.flatMap((host) => operationsOf(documentOf(host))).filter(({ method }) => method !== 'get');
    const keyed = writes.filter(({ operation }) =>
      JSON.stringify(operation.parameters ?? []).includes('Idempotency-Key'),
    );
    expect(keyed.filter(({ operation }) => !(400 in Object(operation.responses))).map(({ path }) => path)).toEqual([]);
    expect(keyed.length).toBeGreaterThan(15);
  });
});
