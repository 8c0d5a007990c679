import { describe, expect, it } from 'vitest';
import { bearerOf } from '../../support/story.ts';
import { admin, useWorld, world } from './admin-world.ts';

useWorld();

describe('the command client', () => {
  it('`create` adds a second client to the organisation', async () => {
    const { json } = await admin.script('client create "Harbour Books"');
    const { clientId, secret } = json.client;

    expect(await bearerOf({ clientId, clientSecret: secret })).toMatch(/^rwb_/);
    const listed = await admin.script('client list 3');
    expect(listed.json.clients.map((client: { clientId: string }) => client.clientId)).toEqual([
      world.demo.outsider.clientId,
      clientId,
    ]);
    expect(listed.out).not.toContain(secret);
  });

  it('`rotate` returns a new secret and invalidates the earlier secret', async () => {
    const { clientId, clientSecret } = world.demo.outsider;
    const { json } = await admin.script(`client rotate ${clientId}`);

    expect(await bearerOf({ clientId, clientSecret: json.client.secret })).toMatch(/^rwb_/);
    expect(await bearerOf({ clientId, clientSecret })).toBeUndefined();
  });

  it('`rotate` returns no secret if another command replaced the secret meanwhile', async () => {
    const { clientId } = world.demo.partner;
    let replaced = '';
    const answer = async () => {
      replaced = (await admin.script(`client rotate ${clientId}`)).json.client.secret;
      return 'y';
    };
    const { status, err } = await admin.person(answer, `client rotate ${clientId}`);

    expect(status).toBe(1);
    expect(err).toBe(`client ${clientId} was changed meanwhile: look at it again; nothing was changed now\n`);
    expect(await bearerOf({ clientId, clientSecret: replaced })).toMatch(/^rwb_/);
  });

  it('`revoke` invalidates the client', async () => {
    const { clientId, clientSecret } = world.demo.merchant;
    const { json } = await admin.script(`client revoke ${clientId}`);

    expect(json.client).toMatchObject({ clientId, isRevoked: true });
    expect(await bearerOf({ clientId, clientSecret })).toBeUndefined();
    expect((await admin.script(`client rotate ${clientId}`)).err).toBe(`client ${clientId} is revoked already\n`);
    expect((await admin.script('client revoke rwc_unknown')).status).toBe(1);
  });
});
