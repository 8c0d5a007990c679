import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { organisationWrite } from '../../../shared/store/organisation/organisations.ts';
import { bearerOf } from '../../support/story.ts';
import { admin, useWorld, world } from './admin-world.ts';
import { receptionOf } from './reception.ts';

useWorld();

describe('the command organisation', () => {
  it('`create` returns the organisation with working credentials', async () => {
    const made = await admin.script(
      'organisation create "Lakeside Tea" --kind merchant --redirect-uri https://tea.example/connected --redirect-uri http://localhost/back',
    );

    expect(made).toMatchObject({ status: 0, err: '' });
    expect(made.json).toEqual({
      organisation: {
        id: expect.any(Number),
        name: 'Lakeside Tea',
        kind: 'MERCHANT',
        program: null,
        redirectUris: ['https://tea.example/connected', 'http://localhost/back'],
        createdAt: expect.any(String),
      },
      key: {
        id: expect.stringMatching(/^\d+-[0-9a-f]{12}$/),
        organisationId: made.json.organisation.id,
        label: 'first key',
        permissions: expect.arrayContaining(['users:read', 'webhooks:write']),
        isRevoked: false,
        expiresAt: null,
        createdAt: expect.any(String),
        secret: expect.stringMatching(/^rwk_local_/),
      },
      client: {
        clientId: expect.stringMatching(/^rwc_local_/),
        organisationId: made.json.organisation.id,
        scopes: ['transactions:read', 'templates:read'],
        isRevoked: false,
        createdAt: expect.any(String),
        secret: expect.stringMatching(/^rws_local_/),
      },
    });
    const { key, client } = made.json;
    expect(await receptionOf(world, key.secret)).toBe('of another tenant');
    expect(await bearerOf({ clientId: client.clientId, clientSecret: client.secret })).toMatch(/^rwb_/);
  });

  it.each(['http://tea.example/back', 'https://tea.example/#back', 'https://*.tea.example/', 'https://u@tea.example/'])(
    '`create` fails for a redirect URI that is not allowed: %s',
    async (uri) => {
      const { status, err } = await admin.script(
        `organisation create "Tea ${uri}" --kind merchant --redirect-uri "${uri}"`,
      );
      expect(status).not.toBe(0);
      expect(err).toContain('--redirect-uri');
    },
  );

  it('`create` makes a hosted program for a partner', async () => {
    const { json } = await admin.script('organisation create "Tern Air" --kind partner');

    expect(json.organisation).toMatchObject({ kind: 'PARTNER', program: 'hosted' });
  });

  it.each(['1', 'Corner Coffee'])('`show` finds an organisation by "%s" and prints no secret', async (text) => {
    const { json, status } = await admin.script(`organisation show "${text}"`);
    const { out } = await admin.read(`organisation show "${text}"`);

    expect(status).toBe(0);
    expect(Object.keys(json)).toEqual(['organisation', 'keys', 'clients', 'partnerships', 'webhooks']);
    expect(json.partnerships).toEqual([expect.objectContaining({ uuid: world.demo.partnership.uuid })]);
    for (const secret of [world.demo.merchant.apiKey, world.demo.merchant.clientSecret]) {
      expect(JSON.stringify(json) + out).not.toContain(secret);
    }
    expect(out).toContain('Corner Coffee × Skyline Miles');
  });

  it('`show` prints webhooks without their salt', async () => {
    const createdAt = new Date().toISOString();
    const subscription = { organisationId: 3, subscriptionId: randomUUID(), endpointUrl: 'https://books.example/hook' };
    const salt = 'never-shown';
    await world.platform.subscriptions.create({
      ...subscription,
      salt,
      readableEntityTypes: [1],
      createdAt,
      updatedAt: createdAt,
    });
    const { json, out } = await admin.script('organisation show "Harbour Books"');

    const { organisationId: _, ...shown } = subscription;
    expect(json.webhooks).toEqual([{ ...shown, eventName: null, entityType: null, createdAt }]);
    expect(out + (await admin.read('organisation show 3')).out).not.toContain(salt);
  });

  it.each([
    ['organisation', 'corner coffee', 'organisation 1 (Corner Coffee)'],
    ['organisation', 'Corner Cofee', 'organisation 1 (Corner Coffee)'],
    ['organisation', 'Skylnie  Miles', 'organisation 2 (Skyline Miles)'],
    ['partnership', 'Corner Cofee × Skyline Miles', 'partnership '],
  ])('`%s show "%s"` asks whether another name was meant', async (group, name, meant) => {
    const { status, err } = await admin.read(group, 'show', name);

    expect([status, err]).toEqual([1, expect.stringMatching(/^there is no .+: did you mean .+\?\n$/)]);
    expect(err).toContain(`there is no ${group} ${name}: did you mean ${meant}`);
  });

  it('`show` prints the ids when two organisations have the same name', async () => {
    const { platform } = world;
    const twin = { id: await platform.sequences.lease('organisation', 1), name: 'Harbour Books' };
    await platform.table.write(
      organisationWrite({
        ...twin,
        kind: 'MERCHANT',
        program: null,
        redirectUris: [],
        createdAt: '2026-01-01T00:00:00Z',
      }),
    );
    const { status, err } = await admin.read('organisation show "Harbour Books"');

    expect(status).toBe(1);
    expect(err).toContain(`give one of the ids 3, ${twin.id}`);
  });
});
