import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { contract as reportContract } from '../../../functions/base/report-from-program/contract.ts';
import { handler as reportHandler } from '../../../functions/base/report-from-program/handler.ts';
import { contract as getContract } from '../../../functions/reward/get-transaction/contract.ts';
import { handler as getHandler } from '../../../functions/reward/get-transaction/handler.ts';
import type { ProgramTask } from '../../../shared/contracts/events.ts';
import type { RewardTransaction } from '../../../shared/domain/ledger/reward-transaction.ts';
import { type PostDeps, runProgramTask } from '../../../shared/operations/posting/post-to-program.ts';
import { syncWithProgram } from '../../../shared/operations/posting/sync-with-program.ts';
import { Programs } from '../../../shared/programs/programs.ts';
import { keyOfSecret, standardHeaders } from '../../../shared/webhooks/standard-webhooks.ts';
import { createSecretsServer } from '../../../tools/local/secrets/server.ts';
import { call } from '../../support/call.ts';
import { connectStory, pin } from '../../support/connect-story.ts';
import { outboxEvents } from '../../support/outbox.ts';
import { aProgram, aProgramSecret, type TestProgram } from '../../support/program-server.ts';
import { provisionOrganisation } from '../../support/provision.ts';
import { bearerOf, createTransaction } from '../../support/story.ts';
import { makeWorld, type World } from '../../support/world.ts';
import { commandLineOf } from '../../tools/admin/command-line.ts';

/** A partner with its own program, as operators, members and the program itself see it. */

const secretsServer = createSecretsServer();
let world: World;
let server: TestProgram;
let admin: ReturnType<typeof commandLineOf>;
let memberId: string;
beforeAll(async () => {
  const secrets = await secretsServer.listen();
  process.env.AWS_ENDPOINT_URL_SECRETS_MANAGER = secrets;
  [world, server] = await Promise.all([makeWorld(), aProgram()]);
  admin = commandLineOf({ ...world.table, secrets });
  const connected = await admin.script(
    ...['program', 'connect', 'Skyline Miles', '--url', server.url, '--secret', server.secret],
  );
  expect(connected).toMatchObject({ status: 0, json: { url: `${server.url}/` } });
  await server.open({ member_id: 'SKY-77001', balance: 25_000 });
});
afterAll(async () => {
  delete process.env.AWS_ENDPOINT_URL_SECRETS_MANAGER;
  await Promise.all([server.close(), secretsServer.close()]);
});
beforeEach(async () => {
  memberId = `own-${randomUUID()}`;
  await server.open({ member_id: memberId, proof: pin, balance: 700, email: `${memberId}@example.com` });
});
afterEach(() => server.clearFaults());

const story = connectStory(() => ({ world, account: memberId }));

describe('an account of a partner’s own program', () => {
  it('is linked with the program’s balance', async () => {
    const tokens = await story.connected({ user: { external_id: `customer-${memberId}` } });

    const { body } = await story.status(tokens.user_id, tokens.access_token);
    expect(body.data.user.partner_status_tiers).toMatchObject([{ external_id: memberId, total_rewards: 700 }]);
  });

  it.each([
    ['a wrong proof', { proof: '1111' }],
    ['an unknown number', { member_id: 'nobody' }],
  ])('is refused with 400 for %s', async (_case, wrong) => {
    const answer = await story.link(await story.connectToken(), wrong);

    expect(answer).toMatchObject({ status: 400, body: { error: 'verification_failed' } });
  });

  it('is not linked while the program is down', async () => {
    const token = await story.connectToken();
    await server.order({ fault: 'fail', call: 'verify', times: 1 });

    expect(await story.link(token)).toMatchObject({ status: 503, body: { error: 'program_unavailable' } });
    expect((await story.link(token)).status).toBe(200);
  });
});

/** The tasks in the program queue, and the deps of the worker that runs them. */
const queued: ProgramTask[] = [];
const deps = (): PostDeps => ({
  ...world.platform,
  randomShare: () => 0.5,
  queue: { send: async (tasks) => void queued.push(...tasks) },
});

/** Handles the events about transactions and balances that are new since the last call. Then runs the queued tasks. */
const handled = new Set<string>();
async function relay(): Promise<void> {
  for (const event of await outboxEvents(world)) {
    if (handled.has(event.id)) continue;
    handled.add(event.id);
    const isOurs = ['transaction_created', 'posting_due', 'balance_reported'].includes(event.name);
    if (isOurs) await syncWithProgram(event, deps(), () => deps().queue);
  }
  for (const task of queued.splice(0)) await runProgramTask(task, deps());
}

const earn = () => createTransaction(world, { campaignId: world.demo.campaigns.earn, amount: 10 });

/** Endpoint 8. */
async function retrieved({ id }: RewardTransaction) {
  const authorization = `Bearer ${await bearerOf(world.demo.merchant)}`;
  const { status, body } = await call(getHandler, getContract, {
    params: { reward_transaction_id: String(id) },
    headers: { authorization },
  });
  if (status !== 200) throw new Error(JSON.stringify(body));
  return body.reward_transaction;
}

interface Reporting {
  readonly secret?: string;
  readonly signedAt?: Date;
  readonly partnerId?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

function report(body: object, { secret = server.secret, signedAt = new Date(), partnerId, headers }: Reporting = {}) {
  const text = JSON.stringify(body);
  const signed = standardHeaders({ id: randomUUID(), body: text, signedAt }, [keyOfSecret(secret)]);
  return call(reportHandler, reportContract, {
    params: { partner_id: String(partnerId ?? world.demo.partner.id) },
    headers: { 'Content-Type': 'application/json', ...(headers ?? signed) },
    body: text,
  });
}
const answered = (uuid: string) => ({ type: 'transaction.answered', data: { transaction_uuid: uuid } });
const changed = (member: string) => ({ type: 'balance.changed', data: { member_id: member } });

describe('endpoint 8', () => {
  it('shows no attempts when the program confirms at once', async () => {
    const transaction = await earn();
    const none = { next_attempt_at: null, retry_method: null, retry_count: 0 };
    expect(await retrieved(transaction)).toMatchObject({ transaction_status: 2, ...none });

    await relay();
    expect(await retrieved(transaction)).toMatchObject({ transaction_status: 3, ...none });
  });

  it('shows when the next post is due after the program failed', async () => {
    const transaction = await earn();
    await server.order({ fault: 'fail', call: 'transactions', times: 1 });
    await relay();
    const shown = await retrieved(transaction);

    expect(shown).toMatchObject({ transaction_status: 2, retry_method: 'post', retry_count: 0 });
    expect(Date.parse(shown.next_attempt_at) - Date.now()).toBeGreaterThan(1_000);
    queued.splice(0);
  });

  it('shows a query as the next attempt after the program accepted the transaction', async () => {
    const transaction = await earn();
    await server.order({ fault: 'accept', call: 'transactions', times: 1 });
    await relay();

    expect(await retrieved(transaction)).toMatchObject({
      transaction_status: 2,
      retry_method: 'query',
      next_attempt_at: expect.any(String),
    });
  });
});

describe('the report of a program', () => {
  async function accepted(): Promise<RewardTransaction> {
    const transaction = await earn();
    await server.order({ fault: 'accept', call: 'transactions', times: 1 });
    await relay();
    return transaction;
  }

  it('makes the platform ask at once for the answer', async () => {
    const transaction = await accepted();
    await server.answer(transaction.uuid, 'confirmed');

    expect(await report(answered(transaction.uuid))).toMatchObject({ status: 200, body: { data: { received: true } } });
    await relay();
    expect(await retrieved(transaction)).toMatchObject({ transaction_status: 3 });
  });

  it('changes nothing by itself: the program’s answer to the platform’s query decides', async () => {
    const transaction = await accepted();
    for (let repetition = 0; repetition < 3; repetition += 1) {
      expect((await report(answered(transaction.uuid))).status).toBe(200);
      await relay();
    }
    expect(await retrieved(transaction)).toMatchObject({ transaction_status: 2 });

    await server.answer(transaction.uuid, 'rejected', 'closed');
    await Promise.all([report(answered(transaction.uuid)), report(answered(transaction.uuid))]);
    await relay();
    expect(await retrieved(transaction)).toMatchObject({ transaction_status: 6 });
    expect((await report(answered(transaction.uuid))).status).toBe(200);
    await relay();
    expect(await retrieved(transaction)).toMatchObject({ transaction_status: 6 });
  });

  it('corrects the platform’s balance when it announces a changed balance', async () => {
    const tokens = await story.connected({ user: { external_id: `customer-${memberId}` } });
    await server.move(memberId, 300);
    expect((await report(changed(memberId))).status).toBe(200);
    await relay();

    const { body } = await story.status(tokens.user_id, tokens.access_token);
    expect(body.data.user.partner_status_tiers).toMatchObject([{ total_rewards: 1_000 }]);
  });

  it.each([
    ['another secret', { secret: aProgramSecret() }],
    ['a time that is 6 minutes ago', { signedAt: new Date(Date.now() - 360_000) }],
    ['a time that is 6 minutes ahead', { signedAt: new Date(Date.now() + 360_000) }],
    ['no signature', { headers: {} }],
    ['a partner whose program is hosted or absent', { partnerId: 1 }],
    ['a partner that does not exist', { partnerId: 999_999 }],
  ])('is refused with 401 for %s', async (_case, reporting) => {
    expect(await report(changed(memberId), reporting)).toMatchObject({
      status: 401,
      body: { error: 'invalid_signature' },
    });
  });

  it('is refused with 413 when it is larger than 256 KB', async () => {
    expect(await report(changed('x'.repeat(256 * 1024)))).toMatchObject({
      status: 413,
      body: { error: 'request_too_large' },
    });
  });

  it('is refused with 404 for an unknown transaction or member', async () => {
    expect(await report(answered(randomUUID()))).toMatchObject({
      status: 404,
      body: { error: 'transaction_not_found' },
    });
    expect(await report(changed('nobody'))).toMatchObject({ status: 404, body: { error: 'member_not_found' } });
  });

  it('is refused with 400 when it is malformed', async () => {
    expect(await report({ type: 'something.else', data: {} })).toMatchObject({ status: 400 });
  });
});

describe('the command `program`', () => {
  it('shows the program’s URL and the program’s transactions in ERROR', async () => {
    const shown = await admin.script('program', 'show', 'Skyline Miles');

    expect(shown).toMatchObject({ status: 0, json: { url: `${server.url}/`, transactions_in_error: [] } });
    expect((await admin.read('program', 'show', 'Skyline Miles')).out).toContain('No transaction is in ERROR.');
  });

  it('lets a transaction that is in ERROR be posted again', async () => {
    const transaction = await earn();
    const found = await world.platform.transactions.find(transaction.id);
    if (!found) throw new Error('there is no transaction');
    await server.order({ fault: 'fail_after', call: 'transactions', times: 1 });
    await relay();
    queued.splice(0);
    const current = (await world.platform.transactions.find(transaction.id)) as RewardTransaction;
    await world.platform.postings.suspend([current], { now: new Date(), nextUuid: world.platform.nextUuid });
    expect(await retrieved(transaction)).toMatchObject({ transaction_status: 4 });
    const shown = await admin.script('program', 'show', 'Skyline Miles');
    expect(shown).toMatchObject({ status: 1, json: { transactions_in_error: [{ id: transaction.id }] } });

    const retried = await admin.script('program', 'retry', 'Skyline Miles', '--transaction', String(transaction.id));
    expect(retried).toMatchObject({ status: 0, json: { transactions: [{ id: transaction.id }] } });
    expect(await retrieved(transaction)).toMatchObject({ transaction_status: 2 });
    await relay();
    expect(await retrieved(transaction)).toMatchObject({ transaction_status: 3 });
    expect(await server.movementsOf(transaction.uuid)).toEqual([transaction.points]);

    const again = await admin.script('program', 'retry', 'Skyline Miles');
    expect(again).toMatchObject({ status: 1, err: expect.stringContaining('no transaction in ERROR') });
  });

  it('replaces a secret while requests and reports go on', async () => {
    const { json } = await admin.script('program', 'rotate-secret', 'Skyline Miles');
    expect(json.secret).toMatch(/^whsec_/);
    expect(await admin.script('program', 'rotate-secret', 'Skyline Miles')).toMatchObject({ status: 1 });
    // A function that starts now reads both secrets.
    const program = await new Programs(world.table.client, world.platform).find(world.demo.partner.id);
    expect(await program.balance('SKY-77001')).toMatchObject({ kind: 'found' });
    await server.settings({ secrets: [json.secret] });
    expect(await program.balance('SKY-77001')).toMatchObject({ kind: 'found' });

    await admin.script('program', 'retire-secret', 'Skyline Miles');
    expect(await admin.script('program', 'retire-secret', 'Skyline Miles')).toMatchObject({ status: 1 });
    await admin.script('program', 'connect', 'Skyline Miles', '--url', server.url, '--secret', server.secret);
    await server.settings({ secrets: [server.secret] });
  });

  it.each([
    [['connect', 'Corner Coffee', '--url', 'https://program.example'], 'is a merchant, not a partner'],
    [['connect', 'Skyline Miles', '--url', 'http://program.example'], 'must be https'],
    [['connect', 'Skyline Miles', '--url', 'https://10.0.0.1/'], 'must be a public host'],
    [
      ['connect', 'Skyline Miles', '--url', 'https://program.example', '--secret', 'x'],
      'a secret is whsec_ followed by base64',
    ],
    [['connect', 'Skyline Miles', '--url', 'https://program.example', '--secret', 'whsec_QUJD'], 'this one has 3'],
    [['retry', 'Nobody'], 'there is no organisation Nobody'],
  ])('refuses %j', async (args, reason) => {
    expect(await admin.script('program', ...args)).toMatchObject({ status: 1, err: expect.stringContaining(reason) });
  });

  it('tries a program before it connects it', async () => {
    const connect = (url: string, secret: string, ...more: string[]) =>
      admin.script('program', 'connect', 'Skyline Miles', '--url', url, '--secret', secret, ...more);
    const elsewhere = createServer((_request, reply) => reply.writeHead(404).end()).listen(0, '127.0.0.1');
    await once(elsewhere, 'listening');
    const typo = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}/typo`;
    expect(await connect(typo, server.secret)).toMatchObject({
      status: 1,
      err: expect.stringContaining('failed: status 404'),
    });
    expect((await connect(server.url, aProgramSecret())).err).toContain(
      'refused the signature of a test request (status 401): either the secret or the path is wrong; nothing was changed',
    );
    const shown = await admin.script('program', 'show', 'Skyline Miles');
    expect(shown.json).toMatchObject({ url: `${server.url}/` });

    expect((await connect(typo, server.secret, '--untried')).json).not.toHaveProperty('probe');
    elsewhere.close();
    const again = await connect(server.url, server.secret);
    expect(again.json).toMatchObject({ url: `${server.url}/`, probe: 'it answered as the contract says' });
  });

  it('connects a program that cannot know its new secret yet, and tries it with the same command later', async () => {
    const { id } = await provisionOrganisation(world.platform, { name: 'New Miles', kind: 'PARTNER' });
    const connect = () => admin.script('program', 'connect', String(id), '--url', server.url);
    expect((await connect()).json.probe).toContain('This does not show that the path is right');
    expect((await connect()).err).toContain('(status 401): either the secret or the path is wrong');
  });

  it('shows when the program answered last, and how a request failed', async () => {
    const { programHealths } = world.platform;
    const { id } = world.demo.partner;
    const text = async () => (await admin.read('program', 'show', 'Skyline Miles')).out;
    await world.platform.table.write({
      kind: 'delete',
      key: { pk: `ORGANISATION#${id}`, sk: 'PROGRAM_HEALTH' },
      repetition: 'harmless',
    });
    expect(await text()).toContain('not known whether it answers');

    const now = new Date('2026-11-20T10:00:00.000Z');
    await programHealths.recordFailure(id, { cause: 'status 401', isTrial: false, now });
    expect(await text()).toContain(
      'The last 1 request failed, the last one on 2026-11-20 10:00:00 UTC: status 401. It has never answered.',
    );
    await programHealths.recordAnswer(id, now);
    expect(await text()).toContain('It last answered on 2026-11-20 10:00:00 UTC, or up to 15 minutes later.');
  });

  it('moves the program back to the platform with `host`', async () => {
    for (const id of await world.platform.postings.waitingOf(world.demo.partner.id)) {
      const waiting = await world.platform.transactions.find(id);
      if (waiting)
        await world.platform.postings.suspend([waiting], { now: new Date(), nextUuid: world.platform.nextUuid });
    }
    expect(await admin.script('program', 'host', 'Skyline Miles')).toMatchObject({ status: 0, json: { url: null } });
    expect((await admin.read('program', 'show', 'Skyline Miles')).out).not.toContain('answer');
    const transaction = await earn();
    await relay();
    expect(await retrieved(transaction)).toMatchObject({ transaction_status: 3 });
    expect(await server.movementsOf(transaction.uuid)).toEqual([]);
  });
});
