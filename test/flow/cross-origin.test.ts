import { beforeAll, describe, expect, it } from 'vitest';
import { contracts } from '../../functions/contracts.ts';
import type { HostContract } from '../../shared/contracts/contract.ts';
import { useFlow } from './support/flow.ts';
import { beginConnect } from './support/page.ts';

/** Requests as browsers send them for a page of another origin (CORS). */

const flow = useFlow();
const origins = ['https://corner-coffee.example', 'https://hostile.example', 'null'];

let token: string;
beforeAll(async () => {
  ({ token } = await beginConnect(flow));
});

/** The address of an endpoint, with the connect token in its place and with `none` for every other parameter. */
const addressOf = ({ host, path }: HostContract, connectToken = token) =>
  flow.hosts[host] + path.replace('{connect_token}', connectToken).replaceAll(/\{\w+\}/g, 'none');

/** The headers by which a browser decides what a page may see. */
const permissionsOf = ({ headers }: Response) =>
  Object.fromEntries([...headers].filter(([name]) => name.startsWith('access-control-')));

const preflight = (contract: HostContract, origin: string) =>
  fetch(addressOf(contract), {
    method: 'OPTIONS',
    headers: {
      origin,
      'access-control-request-method': contract.method,
      'access-control-request-headers': 'content-type',
    },
  });

const readable = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'x-request-id, x-ignored-fields, Retry-After',
};

const forBrowsers = contracts.filter(({ isForBrowsers }) => isForBrowsers);
const others = contracts.filter(({ isForBrowsers }) => !isForBrowsers);

describe.each(forBrowsers)('$method $path of the host $host', (contract) => {
  it.each(origins)('may be called by a page of %s', async (origin) => {
    const answer = await preflight(contract, origin);

    expect(answer.status).toBe(204);
    expect(permissionsOf(answer)).toEqual({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': contract.method,
      'access-control-allow-headers': 'Content-Type',
      'access-control-max-age': '7200',
    });
  });

  it.each(origins)('lets a page of %s read its replies', async (origin) => {
    const answer = await fetch(addressOf(contract), {
      method: contract.method,
      headers: { origin, 'content-type': 'application/json' },
      ...(contract.method === 'POST' && { body: '{}' }),
    });

    expect([200, 400]).toContain(answer.status);
    expect(permissionsOf(answer)).toEqual(readable);
    expect(answer.headers.get('set-cookie')).toBeNull();
  });
});

describe('a page of another origin', () => {
  const origin = 'https://hostile.example';

  it('can read why its connect token was refused', async () => {
    const [first] = forBrowsers.filter(({ credential }) => credential.kind === 'connectToken');
    if (!first) throw new Error('no call of the connect flow is for browsers');
    const answer = await fetch(addressOf(first, 'no-such-token'), { method: first.method, headers: { origin } });

    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ error: 'invalid_token' });
    expect(permissionsOf(answer)).toEqual(readable);
  });

  it('can read the errors of the gateway itself', async () => {
    const unknown = await fetch(`${flow.hosts.base}/connect/${token}/none`, { headers: { origin } });
    const large = await fetch(`${flow.hosts.base}/connect/${token}/link`, {
      method: 'POST',
      headers: { origin, 'content-type': 'application/json' },
      body: Buffer.alloc(10 * 1024 * 1024 + 1, 32),
    });

    expect([unknown.status, large.status]).toEqual([404, 413]);
    for (const answer of [unknown, large]) expect(permissionsOf(answer)).toEqual(readable);
  });

  it('may call only the endpoints for browsers', async () => {
    // A browser sends the request only after a successful preflight that permits the method.
    for (const contract of others) {
      const asked = await preflight(contract, origin);
      expect(asked.status, contract.path).toBe(404);
      expect(asked.headers.get('access-control-allow-methods')).toBeNull();
    }
  });

  it.each(['/connect/{connect_token}/page', '/users/{id}'])('cannot read the reply of GET %s', async (path) => {
    const [contract] = others.filter((other) => other.host === 'base' && other.path === path);
    if (!contract) throw new Error(`there is no ${path}`);
    const answer = await fetch(addressOf(contract), { headers: { origin } });
    expect([200, 400]).toContain(answer.status);
    expect(permissionsOf(answer)).toEqual({});
  });
});
