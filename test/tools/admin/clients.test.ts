import { beforeAll, describe, expect, it } from 'vitest';
import { bearerOf } from '../../support/story.ts';
import { makeWorld, type World } from '../../support/world.ts';
import { commandLineOf } from './command-line.ts';

let world: World;
let admin: ReturnType<typeof commandLineOf>;
beforeAll(async () => {
  world = await makeWorld();
  admin = commandLineOf(world.table);
});

describe('client', () => {
  it('create makes another one beside the first', async () => {
    const { json } = await admin.script('client', 'create', 'Harbour Books');
    const { clientId, secret } = json.client;

    expect(await bearerOf({ clientId, clientSecret: secret })).toMatch(/^rwb_/);
    const listed = await admin.script('client', 'list', '3');
    expect(listed.json.clients.map((client: { clientId: string }) => client.clientId)).toEqual([
      world.demo.outsider.clientId,
      clientId,
    ]);
    expect(listed.out).not.toContain(secret);
  });

  it('rotate gives another secret, and the earlier one is no good any more', async () => {
    const { clientId, clientSecret } = world.demo.outsider;
    const { json } = await admin.script('client', 'rotate', clientId);

    expect(await bearerOf({ clientId, clientSecret: json.client.secret })).toMatch(/^rwb_/);
    expect(await bearerOf({ clientId, clientSecret })).toBeUndefined();
  });

  it('rotate gives none when somebody else did meanwhile', async () => {
    const { clientId } = world.demo.partner;
    let theirs = '';
    const answer = async () => {
      theirs = (await admin.script('client', 'rotate', clientId)).json.client.secret;
      return 'y';
    };
    const { status, err } = await admin.person(answer, 'client', 'rotate', clientId);

    expect(status).toBe(1);
    expect(err).toBe(`client ${clientId} got another secret from somebody else meanwhile; nothing was changed now\n`);
    expect(await bearerOf({ clientId, clientSecret: theirs })).toMatch(/^rwb_/);
  });

  it('revoke ends one', async () => {
    const { clientId, clientSecret } = world.demo.merchant;
    const { json } = await admin.script('client', 'revoke', clientId);

    expect(json.client).toMatchObject({ clientId, isRevoked: true });
    expect(await bearerOf({ clientId, clientSecret })).toBeUndefined();
    expect((await admin.script('client', 'rotate', clientId)).err).toBe(`client ${clientId} is revoked already\n`);
    expect((await admin.script('client', 'revoke', 'rwc_nobody')).status).toBe(1);
  });
});
