import { describe, expect, it } from 'vitest';
import { contracts } from '../../functions/contracts.ts';
import { apiFiles } from '../../tools/build/docs/api.ts';
import { environmentVariables } from '../../tools/build/docs/postman-folders.ts';

/** Tests docs/api/rewards-platform.postman_collection.json. generated.test.ts fails when the collection is stale. */

interface RequestItem {
  readonly name: string;
  readonly request: {
    readonly method: string;
    readonly auth: { readonly type: string };
    readonly header: readonly { readonly key: string }[];
    readonly url: {
      readonly raw: string;
      readonly host: readonly string[];
      readonly path: readonly string[];
      readonly variable?: readonly { readonly key: string; readonly value: string }[];
    };
    readonly body?: { readonly mode: string; readonly raw?: string };
  };
  readonly event: readonly { readonly script: { readonly exec: readonly string[] } }[];
}

interface Collection {
  readonly item: readonly { readonly name: string; readonly item: readonly RequestItem[] }[];
  readonly variable: readonly { readonly key: string; readonly value: string }[];
}

const text = apiFiles['docs/api/rewards-platform.postman_collection.json']?.() ?? '';
const collection: Collection = JSON.parse(text);
const [first, ...folders] = collection.item;
const requests = folders.flatMap(({ name: host, item }) => item.map((each) => ({ host, ...each })));
const requestNamed = (name: string) => requests.find((each) => each.name === name)?.request;

/** Values of variables whose fields take no other text. */
const samples: Readonly<Record<string, string>> = {
  partner_id: '2',
  campaign_id: '7',
  partnership_uuid: '0198c1f0-5d7a-7c3e-9b1f-2f4c8a6d0e01',
};

describe('the Postman collection', () => {
  it('has a request for every endpoint, in the folder of its host', () => {
    const made = requests.map(({ host, request: { method, url } }) => `${method} ${host} /${url.path.join('/')}`);
    const declared = contracts.map(
      ({ method, host, path }) => `${method} ${host} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`,
    );
    expect([...new Set(made)].toSorted()).toEqual(declared.toSorted());
  });

  it('declares every variable that a request uses, and contains no secret', () => {
    const used = [...text.matchAll(/\{\{(\w+)\}\}/g)].map(([, name]) => name);
    const declared = new Set(collection.variable.map(({ key }) => key));
    expect(used.filter((name) => !declared.has(name ?? ''))).toEqual([]);
    expect(collection.variable.filter(({ value }) => value !== '').map(({ key }) => key)).toEqual([
      'payment_account',
      'payment_platform',
    ]);
  });

  it('begins with the folder that sets the variables of the others', () => {
    expect(first?.name).toBe('First reward');
    const ofScript = ['run', 'customer_id', 'member_id', 'proof'];
    const filled = new Set([...environmentVariables, ...ofScript, 'payment_platform', 'payment_account']);
    const unset: string[] = [];
    for (const { name, request, event } of [first, ...folders].flatMap((folder) => folder?.item ?? [])) {
      const used = [...JSON.stringify(request).matchAll(/\{\{(\w+)\}\}/g)].map(([, variable = '']) => variable);
      unset.push(...used.filter((variable) => !filled.has(variable)).map((variable) => `${name}: ${variable}`));
      const scripts = event.flatMap(({ script }) => script.exec).join();
      for (const [, variable = ''] of scripts.matchAll(/collectionVariables\.set\('(\w+)'/g)) filled.add(variable);
    }
    expect(unset).toEqual([]);
  });

  it('checks the status of every reply', () => {
    for (const { name, event } of collection.item.flatMap(({ item }) => item)) {
      expect(event.flatMap(({ script }) => script.exec).join(), name).toMatch(/pm\.response\.to\.have\.status\(\d+\)/);
    }
  });

  it('gives every path parameter a value', () => {
    for (const { name, request } of requests) {
      const parameters = request.url.path.filter((segment) => segment.startsWith(':')).map((each) => each.slice(1));
      expect(
        (request.url.variable ?? []).map(({ key }) => key),
        name,
      ).toEqual(parameters);
    }
  });

  it.each([
    ['authenticateTransaction', 'apikey', '{{user_token}}'],
    ['createOrder', 'apikey', '{{partner_key}}'],
    ['rewardGetTransaction', 'bearer', '{{bearer_token}}'],
    ['issueToken: a bearer token', 'basic', '{{client_secret}}'],
  ])('sends the credential that %s requires', (name, type, value) => {
    const auth = requestNamed(name)?.auth;
    expect(auth?.type).toBe(type);
    expect(JSON.stringify(auth)).toContain(value);
  });

  it('sends a new idempotency key with a request that writes, but not with a read', () => {
    const headers = requestNamed('createOrder')?.header;
    expect(headers).toContainEqual(expect.objectContaining({ key: 'Idempotency-Key', value: '{{$guid}}' }));
    expect(JSON.stringify(requestNamed('getUser'))).not.toContain('Idempotency-Key');
  });

  it('sends examples that the contracts accept', () => {
    for (const { name, request } of requests.filter((each) => each.request.body?.mode === 'raw')) {
      const contract = contracts.find(({ method, host, path }) => {
        const segments = path.slice(1).replaceAll(/\{(\w+)\}/g, ':$1');
        return method === request.method && request.url.raw === `{{${host}_url}}/${segments}`;
      });
      const filled = (request.body?.raw ?? '').replaceAll(
        /\{\{(\w+)\}\}/g,
        (_, variable) => samples[variable] ?? 'text',
      );
      expect(contract?.body?.safeParse(JSON.parse(filled)).error?.issues, name).toBeUndefined();
    }
  });
});
