import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createMember } from '../../../shared/operations/member/manage-members.ts';
import { customerEmailWrite } from '../../../shared/store/connect/connect.ts';
import { organisationWrite } from '../../../shared/store/organisation/organisations.ts';
import { connectStory, openAccount } from '../../support/connect-story.ts';
import { outboxEvents } from '../../support/outbox.ts';
import { provisionOrganisation } from '../../support/provision.ts';
import { makeWorld, type World } from '../../support/world.ts';

let world: World;
let account: string;
beforeAll(async () => {
  world = await makeWorld();
});
beforeEach(async () => {
  account = `acc-${randomUUID()}`;
  await openAccount(world, account);
});

const { merchantKey, begin, connectToken, look, link, exchange, status, connected } = connectStory(() => ({
  world,
  account,
}));

async function newAccount(): Promise<string> {
  const memberId = `acc-${randomUUID()}`;
  await openAccount(world, memberId);
  return memberId;
}

const attributesOf = (names: number, values = ['x']) =>
  Object.fromEntries(Array.from({ length: names }, (_, position) => [`name${position}`, values]));

describe('endpoint 12 (connect token)', () => {
  it("returns the page's URL and a token for 30 minutes", async () => {
    const answer = await begin({ redirect_uri: 'https://corner-coffee.example/connected', state: 's' });

    const { connect_token, connect_url, expires_at } = answer.body.data;
    expect(connect_token).toMatch(/^rwt_local_/);
    expect(connect_url).toBe(`https://base.rewards.test/local/connect/${connect_token}/page`);
    expect(Date.parse(expires_at) - Date.now()).toBeGreaterThan(29 * 60_000);
  });

  it('returns the configured URL of the page for any Host header', async () => {
    const forged = { Host: 'evil.example', 'X-Forwarded-Host': 'evil.example', 'X-Forwarded-Proto': 'http' };
    const { connect_url, connect_token } = (await begin({}, { ...merchantKey(), ...forged })).body.data;
    expect(connect_url).toBe(`https://base.rewards.test/local/connect/${connect_token}/page`);
  });

  it('returns 400 for a registered redirect URI without https', async () => {
    const uris = ['http://corner-coffee.example/connected', 'https://*.corner-coffee.example/'];
    const merchant = await provisionOrganisation(world.platform, { name: 'Old Shop', kind: 'MERCHANT' });
    const stored = await world.platform.organisations.find(merchant.id);
    if (!stored) throw new Error('there is no merchant');
    await world.platform.table.write(organisationWrite({ ...stored, redirectUris: uris }));

    const key = { 'x-api-key': merchant.apiKey };
    for (const [index, code] of ['https_required', 'wildcard_not_allowed'].entries()) {
      const answer = await begin({ redirect_uri: uris[index] }, key);
      expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
      expect(answer.body.errors).toMatchObject([{ pointer: '/redirect_uri', code }]);
    }
    await world.platform.table.write(organisationWrite({ ...stored, redirectUris: uris.slice(0, 1) }));
    expect(await begin({}, key)).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
  });

  it('returns 400 for any redirect URI except the registered one', async () => {
    for (const uri of [
      'https://evil.example/connected',
      'https://corner-coffee.example/connected/',
      'https://corner-coffee.example/connected?x=1',
      'https://corner-coffee.example.evil.example/connected',
    ]) {
      const answer = await begin({ redirect_uri: uri });
      expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
      expect(answer.body.errors[0].pointer).toBe('/redirect_uri');
    }
  });

  it('accepts the Idempotency-Key again after it refused a redirect URI', async () => {
    const headers = { ...merchantKey(), 'Idempotency-Key': randomUUID() };
    expect((await begin({ redirect_uri: 'https://evil.example/' }, headers)).status).toBe(400);
    expect((await begin({}, headers)).status).toBe(200);
  });

  it.each([
    ['/user/email', { user: { email: 'nonsense' } }],
    ['/user/phone_number', { user: { phone_number: '555-1234' } }],
    ['/user/referrer_external_id', { user: { referrer_external_id: ' ' } }],
    ['/user/location/country', { user: { location: { country: 'usa' } } }],
    ['/user/location/region', { user: { location: { country: 'US', region: 'Texas' } } }],
    ['/user/attributes/plan', { user: { attributes: { plan: Array.from({ length: 21 }, () => 'x') } } }],
    ['/user/attributes/plan/0', { user: { attributes: { plan: ['x'.repeat(256)] } } }],
    ['/user/attributes/constructor', { user: { attributes: { constructor: ['x'] } } }],
    ['/user/attributes', { user: { attributes: attributesOf(21) } }],
    [
      '/user/attributes',
      {
        user: {
          attributes: attributesOf(
            20,
            Array.from({ length: 20 }, () => 'x'.repeat(100)),
          ),
        },
      },
    ],
    ['/code_challenge', { code_challenge: 'short' }],
    ['/partnership_id', { partnership_id: 'not-a-uuid' }],
  ])('returns 400 invalid_request with the pointer %s', async (pointer, body) => {
    const answer = await begin(body);
    expect(answer.body).toMatchObject({ error: 'invalid_request', errors: [{ pointer }] });
  });

  it('accepts a partnership UUID in upper case', async () => {
    expect((await begin({ partnership_id: world.demo.partnership.uuid.toUpperCase() })).status).toBe(200);
  });

  it('returns 404 for a partnership or a campaign of another organisation', async () => {
    const outsider = { 'x-api-key': world.demo.outsider.apiKey };
    expect((await begin({ partnership_id: world.demo.partnership.uuid }, outsider)).body.error).toBe(
      'partnership_does_not_exist',
    );
    expect((await begin({ campaign_id: world.demo.campaigns.earn }, outsider)).body.error).toBe(
      'campaign_does_not_exist',
    );
    expect((await begin({ campaign_id: 999_999 })).status).toBe(404);
  });
});

describe('endpoint get-connect', () => {
  it("returns 200 with the merchant's programs", async () => {
    const answer = await look(await connectToken({ campaign_id: world.demo.campaigns.earn }));
    expect(answer.body.data).toMatchObject({
      merchant: { id: world.demo.merchant.id, name: 'Corner Coffee' },
      partners: [{ partner_id: world.demo.partner.id, partnership_id: world.demo.partnership.uuid }],
    });
  });

  it('returns the customer’s data from the merchant, or null', async () => {
    const user = { external_id: 'cc-7', email: 'ada@example.com', first_name: 'Ada', last_name: 'Byron' };
    expect((await look(await connectToken({ user }))).body.data.customer).toEqual(user);
    const unnamed = { external_id: null, email: null, first_name: null, last_name: null };
    expect((await look(await connectToken())).body.data.customer).toEqual(unnamed);
  });

  it('returns 400 invalid_token for an unknown or used token', async () => {
    const token = await connectToken();
    await link(token);
    for (const spent of [token, 'x', token.slice(0, -1)]) {
      expect(await look(spent)).toMatchObject({ status: 400, body: { error: 'invalid_token' } });
    }
  });
});

describe('linking an account', () => {
  it('redirects with a code, and links nothing before its exchange', async () => {
    const redirect = 'https://corner-coffee.example/connected';
    const token = await connectToken({ redirect_uri: redirect, state: 'a&b', user: { external_id: `x-${account}` } });

    const answer = await link(token);

    const url = new URL(answer.body.data.redirect_uri);
    expect(url.origin + url.pathname).toBe(redirect);
    expect([url.searchParams.get('code'), url.searchParams.get('state')]).toEqual([answer.body.data.code, 'a&b']);
    expect(await world.platform.members.findByExternalId(world.demo.partner.id, account)).toBeUndefined();
    expect(await world.platform.members.findByExternalId(world.demo.merchant.id, `x-${account}`)).toBeUndefined();
  });

  it('makes the account readable with the customer’s earlier tokens after the exchange', async () => {
    const grace = world.demo.members[1];
    const tiers = async () =>
      (await status(grace?.id ?? 0, grace?.accessToken ?? '')).body.data.user.partner_status_tiers;
    const { code } = (await link(await connectToken({ user: { external_id: grace?.externalId } }))).body.data;
    expect(await tiers()).toEqual([]);

    await exchange({ grant_type: 'authorization_code', code });
    expect(await tiers()).toMatchObject([{ external_id: account, total_rewards: 700 }]);
    const member = await world.platform.members.findByExternalId(world.demo.partner.id, account);
    expect(member?.user.id).toBe(grace?.id);
  });

  it('fails when the account’s holder completes a thief’s session', async () => {
    const verifier = randomBytes(32).toString('base64url');
    const code_challenge = createHash('sha256').update(verifier).digest('base64url');
    const thief = await connected({ user: { external_id: `thief-${account}` } }, { member_id: await newAccount() });
    // The thief sends the page of their own session to the holder of the account, who types number and PIN.
    const lure = await connectToken({ user: { external_id: `thief-${account}` }, state: 'thief', code_challenge });
    expect(await link(lure)).toMatchObject({ status: 409, body: { error: 'account_already_linked' } });
    const fresh = await connectToken({ user: { external_id: `new-${account}` }, state: 'thief', code_challenge });
    const { code } = (await link(fresh)).body.data;
    // A merchant would refuse this redirect, because the holder's browser has no such state. The platform refuses the
    // code, because the request does not contain the thief's verifier.
    expect((await exchange({ grant_type: 'authorization_code', code })).body.error).toBe('invalid_grant');

    const seen = (await status(thief.user_id, thief.access_token)).body.data.user.partner_status_tiers;
    expect(seen.map((tier: { external_id: string }) => tier.external_id)).not.toContain(account);
    const owner = await connected({ user: { external_id: `owner-${account}` } });
    expect(owner.user_id).not.toBe(thief.user_id);
  });

  it('creates a member and sends an event to both sides', async () => {
    await connected({ user: { external_id: `x-${account}` } });
    const member = await world.platform.members.findByExternalId(world.demo.partner.id, account);
    expect(member?.user).toMatchObject({ firstName: 'Linus', email: `${account}@example.com` });
    expect(member?.memberships).toMatchObject([{ partnerId: world.demo.partner.id, availablePoints: 700 }]);
    expect(member?.associations).toMatchObject([{ merchantId: world.demo.merchant.id, externalId: `x-${account}` }]);
    const events = (await outboxEvents(world)).filter(({ entityId }) => entityId === member?.user.uuid);
    expect(events).toMatchObject([
      {
        name: 'user_partner_authentication_created',
        merchantId: world.demo.merchant.id,
        partnerId: world.demo.partner.id,
      },
    ]);
    const ledger = await world.platform.ledger.entriesOf(member?.user.id ?? 0, world.demo.partner.id);
    expect(ledger.map(({ points }) => points)).toEqual([700]);
  });

  it('stores the attributes that the merchant sent', async () => {
    const grace = await createMember(
      {
        firstName: 'Grace',
        lastName: 'Murray',
        email: `told-${account}@example.com`,
        merchant: { id: world.demo.merchant.id, externalId: `told-${account}` },
      },
      world.platform,
    );
    const told = {
      external_id: `told-${account}`,
      referrer_external_id: 'nobody',
      location: { country: 'US', city: ' Austin ' },
      attributes: { plan: ['gold', ' blue '], 'a.b #:c': ['x'], none: [] },
    };
    await connected({ user: told });
    const fresh = `fresh-${account}`;
    await openAccount(world, fresh);
    await connected({ user: { ...told, external_id: fresh } }, { member_id: fresh });

    const made = await world.platform.members.findByExternalId(world.demo.partner.id, fresh);
    expect(made?.user.id).not.toBe(grace.user.id);
    for (const member of [await world.platform.members.find(grace.user.id), made]) {
      expect(member?.associations).toMatchObject([
        {
          merchantId: world.demo.merchant.id,
          location: { country: 'US', region: null, city: 'Austin' },
          attributes: { plan: ['gold', 'blue'], 'a.b #:c': ['x'], none: [] },
        },
      ]);
      expect(member?.user).not.toHaveProperty('attributes');
    }
  });

  it('returns the same member when the account is already linked', async () => {
    const first = await connected();
    const again = await connected();
    expect(again.user_id).toBe(first.user_id);
    const member = await world.platform.members.find(first.user_id);
    expect(member?.memberships[0]?.availablePoints).toBe(700);
  });

  it('succeeds for only one of several parallel requests of one connect session', async () => {
    const token = await connectToken();
    const answers = await Promise.all(Array.from({ length: 5 }, () => link(token)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  it('returns 404 partner_not_linkable for a program without a partnership', async () => {
    const answer = await link(await connectToken(), { partner_id: world.demo.outsider.id });
    expect(answer).toMatchObject({ status: 404, body: { error: 'partner_not_linkable' } });
  });

  it('returns the same 400 for a wrong PIN and an unknown account', async () => {
    const token = await connectToken();
    const wrong = await link(token, { proof: '000000' });
    const absent = await link(token, { member_id: 'nobody' });
    expect(wrong).toMatchObject({ status: 400, body: { error: 'verification_failed' } });
    expect(absent.body.message).toBe(wrong.body.message);
  });

  it('accepts at most five wrong PINs, even in parallel sessions', async () => {
    const token = await connectToken();
    for (let guess = 0; guess < 5; guess += 1) await link(token, { proof: `00000${guess}` });
    expect(await link(token)).toMatchObject({ status: 400, body: { error: 'invalid_token' } });

    const other = `acc-${randomUUID()}`;
    await openAccount(world, other);
    const tokens = await Promise.all(Array.from({ length: 12 }, () => connectToken()));
    await Promise.all(tokens.map((each) => link(each, { member_id: other, proof: '000000' })));
    const right = await link(await connectToken(), { member_id: other });
    expect(right.body.error).toBe('verification_failed');
  });
});

describe('linking an account of a known customer', () => {
  it('creates another member if the session names only the linked customer’s e-mail address', async () => {
    const ada = world.demo.members[0];
    await openAccount(world, `thief-${account}`, 'ada@example.com');
    const { code } = (
      await link(await connectToken({ user: { email: 'ada@example.com' } }), { member_id: `thief-${account}` })
    ).body.data;
    const tokens = await exchange({ grant_type: 'authorization_code', code });
    expect(tokens.body.user_id).not.toBe(ada?.id);
  });

  it('creates another member if a linked customer has the account’s e-mail address', async () => {
    const ada = world.demo.members[0];
    await world.platform.table.write(customerEmailWrite(world.demo.merchant.id, 'ada@example.com', ada?.id ?? 0));
    await openAccount(world, `second-${account}`, 'ada@example.com');
    const { code } = (await link(await connectToken(), { member_id: `second-${account}` })).body.data;
    expect((await exchange({ grant_type: 'authorization_code', code })).body.user_id).not.toBe(ada?.id);
  });

  it('uses the member of an unlinked customer with the account’s e-mail address', async () => {
    const { platform, demo } = world;
    const email = `plain-${account}@example.com`;
    const merchant = { id: demo.merchant.id, externalId: `plain-${account}` };
    const customer = await createMember({ firstName: 'P', lastName: 'C', email, merchant }, platform);
    await platform.table.write(customerEmailWrite(demo.merchant.id, email, customer.user.id));
    await openAccount(world, `plain-${account}`, email.toUpperCase());

    const { code } = (await link(await connectToken(), { member_id: `plain-${account}` })).body.data;

    expect((await exchange({ grant_type: 'authorization_code', code })).body.user_id).toBe(customer.user.id);
  });

  it('returns 409 if the account has another customer, or the customer another account', async () => {
    await connected({ user: { external_id: `one-${account}` } });
    const other = await link(await connectToken({ user: { external_id: world.demo.members[0]?.externalId } }));
    expect(other).toMatchObject({ status: 409, body: { error: 'account_already_linked' } });

    const second = `second-${account}`;
    await openAccount(world, second);
    const twice = await link(await connectToken({ user: { external_id: `one-${account}` } }), { member_id: second });
    expect(twice).toMatchObject({ status: 409, body: { error: 'account_already_linked' } });
  });
});
