import { describe, expect, it } from 'vitest';
import { signIn } from '../../../shared/operations/staff/sign-in.ts';
import { makeDemoPeople } from '../../../tools/admin/demo/staff.ts';
import { admin, useWorld, world } from './admin-world.ts';

useWorld();

const pool = 'https://cognito-idp.us-east-1.amazonaws.com/us-east-1_Example';
const enter = (email: string, subject = email, issuer = pool) =>
  signIn(
    { identity: { issuer, subject }, verifiedEmail: email, name: 'Ada Byron', authenticatedAt: world.platform.now() },
    world.platform,
  );

describe('the command organisation invite', () => {
  it('lets the first owner in, and nobody else', async () => {
    const { json, status } = await admin.script(
      `organisation invite ${world.demo.merchant.id} --email Ada@corner.example`,
    );
    expect({ status, json }).toMatchObject({
      status: 0,
      json: { invitation: { email: 'ada@corner.example', roles: ['owner'], organisationId: world.demo.merchant.id } },
    });
    await expect(enter('eve@corner.example')).rejects.toThrow('nobody has invited');
    const { staff } = await enter('ada@corner.example');
    expect(await world.platform.people.findPost(staff.id, world.demo.merchant.id)).toMatchObject({ roles: ['owner'] });
  });

  it('says that no message is sent, and takes several roles', async () => {
    const { out } = await admin.read(
      `organisation invite ${world.demo.merchant.id} --email x@corner.example --role developer --role editor`,
    );
    expect(out).toContain('editor, developer');
    expect(out).toContain('No message is sent');
  });

  it.each(['--email nobody', '--email a@b.example --role king', ''])('is refused with %j', async (options) => {
    expect((await admin.script(`organisation invite ${world.demo.merchant.id} ${options}`)).status).toBe(2);
  });
});

describe('the command staff', () => {
  it('lists people with their organisations and roles', async () => {
    await admin.script(`organisation invite ${world.demo.partner.id} --email lee@skyline.example --role approver`);
    await enter('lee@skyline.example');
    const { json } = await admin.script('staff list');
    expect(json.people).toContainEqual({
      id: expect.any(String),
      email: 'lee@skyline.example',
      name: 'Ada Byron',
      organisations: [{ organisationId: world.demo.partner.id, roles: ['approver'] }],
      hasIdentity: true,
      createdAt: expect.any(String),
    });
    expect((await admin.read('staff list')).out).toContain(`Skyline Miles (${world.demo.partner.id}): Approver`);
  });

  it('resets the sign-in of a person, and names the command that deletes the account', async () => {
    await admin.script(`organisation invite ${world.demo.partner.id} --email lost@skyline.example --role editor`);
    const { staff } = await enter('lost@skyline.example', 'lost-subject');
    const { json, status } = await admin.script('staff reset lost@skyline.example --yes');

    expect(status).toBe(0);
    expect(json.person).toMatchObject({ id: staff.id, hasIdentity: false });
    expect(json.deleteAccount).toBe(
      'aws cognito-idp admin-delete-user --region us-east-1 --user-pool-id us-east-1_Example --username lost-subject',
    );
    await expect(enter('lost@skyline.example', 'lost-subject')).rejects.toThrow('nobody has invited');
    expect((await enter('lost@skyline.example', 'new-subject')).staff.id).toBe(staff.id);
  });

  it('removes a person, who is unknown afterwards', async () => {
    await admin.script(`organisation invite ${world.demo.partner.id} --email gone@skyline.example --role editor`);
    await enter('gone@skyline.example');
    expect((await admin.script('staff remove gone@skyline.example --yes')).status).toBe(0);
    const again = await admin.script('staff remove gone@skyline.example --yes');
    expect(again).toMatchObject({ status: 1, err: expect.stringContaining('staff list') });
  });

  it('keeps the last owner of an organisation', async () => {
    await admin.script(`organisation invite ${world.demo.outsider.id} --email only@harbour.example`);
    await enter('only@harbour.example');
    const { status, err } = await admin.script('staff remove only@harbour.example --yes');
    expect({ status, err }).toMatchObject({ status: 1, err: expect.stringContaining('organisation invite') });
  });
});

it('the people of the demonstration sign in by their addresses', async () => {
  const people = await makeDemoPeople(world.demo, world.platform);
  for (const { email, organisationId, roles } of people) {
    const { staff } = await enter(email, `demo-${email}`, 'http://127.0.0.1:9999/pool');
    expect(await world.platform.people.findPost(staff.id, organisationId)).toMatchObject({ roles });
  }
});
