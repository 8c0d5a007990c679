import { describe, expect, it } from 'vitest';
import {
  createBearerToken,
  createRewardsClient,
  createUserToken,
  RewardsApiError,
  type UserTokens,
} from '../../clients/typescript/src/index.ts';

const baseUrl = 'http://base.test';
const hosts = {
  base: baseUrl,
  reward: 'http://reward.test',
  campaign: 'http://campaign.test',
  user: 'http://user.test',
  order: 'http://order.test',
  notification: 'http://notification.test',
};

/** A token endpoint that issues `access-1`, `access-2`, … for an hour, and a clock. */
function tokenEndpoint() {
  const requests: URLSearchParams[] = [];
  const clock = { at: new Date('2026-03-02T09:00:00Z') };
  const authorizations: (string | null)[] = [];
  const client = {
    baseUrl,
    clientId: 'client',
    clientSecret: 'secret',
    now: () => clock.at,
    fetch: async (request: Request) => {
      requests.push(new URLSearchParams(await request.text()));
      authorizations.push(request.headers.get('authorization'));
      const number = requests.length;
      const body = { access_token: `access-${number}`, refresh_token: `refresh-${number}`, expires_in: 3600 };
      return Response.json({ ...body, token_type: 'Bearer' });
    },
  };
  const advance = (minutes: number) => {
    clock.at = new Date(clock.at.getTime() + minutes * 60_000);
  };
  return { client, requests, authorizations, advance };
}

describe('createBearerToken()', () => {
  it('uses one token until shortly before it expires', async () => {
    const { client, requests, authorizations, advance } = tokenEndpoint();
    const token = createBearerToken({ ...client, scope: 'transactions:read' });
    expect(await Promise.all([token.get(), token.get()])).toEqual(['access-1', 'access-1']);
    advance(58);
    expect(await token.get()).toBe('access-1');
    advance(1.5);
    expect(await token.get()).toBe('access-2');
    expect(requests.map((form) => Object.fromEntries(form))).toEqual([
      { grant_type: 'client_credentials', scope: 'transactions:read' },
      { grant_type: 'client_credentials', scope: 'transactions:read' },
    ]);
    expect(authorizations[0]).toBe(`Basic ${btoa('client:secret')}`);
  });

  it('asks for a token again after the token endpoint refused the first request', async () => {
    const refused = () =>
      Response.json({ error: 'invalid_client', error_description: 'no', request_id: 'r' }, { status: 401 });
    const answers = [refused(), Response.json({ access_token: 'good', expires_in: 60 })];
    const token = createBearerToken({
      ...tokenEndpoint().client,
      fetch: async () => answers.shift() ?? Response.error(),
    });
    await expect(token.get()).rejects.toThrow(
      expect.objectContaining({ identifier: 'invalid_client', requestId: 'r' }),
    );
    await expect(token.get()).resolves.toBe('good');
    expect(new RewardsApiError(500, undefined).identifier).toBe('unexpected_error');
  });
});

describe('createUserToken()', () => {
  const first: UserTokens = { accessToken: 'access-0', refreshToken: 'refresh-0' };

  it('stores new tokens before it uses them', async () => {
    const { client, requests, advance } = tokenEndpoint();
    const stored: UserTokens[] = [];
    const expiresAt = new Date('2026-03-02T09:30:00Z');
    const token = createUserToken({
      ...client,
      tokens: { ...first, expiresAt },
      store: (each) => void stored.push(each),
    });
    expect(await token.get()).toBe('access-0');
    advance(29.5);
    expect(await Promise.all([token.get(), token.get()])).toEqual(['access-1', 'access-1']);
    expect(stored).toEqual([
      { accessToken: 'access-1', refreshToken: 'refresh-1', expiresAt: new Date('2026-03-02T10:29:30Z') },
    ]);
    advance(60);
    await token.get();
    expect(requests.map((form) => form.get('refresh_token'))).toEqual(['refresh-0', 'refresh-1']);
  });

  it('repeats a request with a refreshed token after status 401', async () => {
    const { client, requests } = tokenEndpoint();
    const userToken = createUserToken({ ...client, tokens: first, store: () => {} });
    const used: (string | null)[] = [];
    const { user } = createRewardsClient({
      hosts,
      userToken,
      fetch: async (request) => {
        const key = request.headers.get('x-api-key');
        used.push(key);
        const status = key === 'access-0' ? 401 : 200;
        return Response.json({ code: 'ok', data: {}, error: 'unauthorized_request' }, { status });
      },
    });
    const read = () => user.GET('/users/{id}', { params: { path: { id: 1 } } });
    const replies = await Promise.all([read(), read()]);
    expect(replies.map(({ response }) => response.status)).toEqual([200, 200]);
    expect(used.toSorted()).toEqual(['access-0', 'access-0', 'access-1', 'access-1']);
    expect(requests).toHaveLength(1);
  });

  it('does not refresh again when the platform refuses the new token too', async () => {
    const { client, requests } = tokenEndpoint();
    const userToken = createUserToken({ ...client, tokens: first, store: () => {} });
    const { user } = createRewardsClient({
      hosts,
      userToken,
      fetch: async () => Response.json({ error: 'unauthorized_request' }, { status: 401 }),
    });
    for (let call = 0; call < 3; call += 1) {
      const { response } = await user.GET('/users/{id}', { params: { path: { id: 1 } } });
      expect(response.status).toBe(401);
    }
    expect(requests).toHaveLength(1);
  });
});
