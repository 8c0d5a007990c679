import { randomUUID } from 'node:crypto';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { run, stateOf } from '../tools/admin/command-line.ts';
import { cannot, useFlow } from './support/flow.ts';
import { send } from './support/http.ts';
import { authenticate, completed, create } from './support/purchase.ts';
import { heard, type Subscriber, subscribe } from './support/webhooks.ts';

/** Webhooks contain the id of the request that caused them. `trace` finds what a request caused, in table and logs. */

const flow = useFlow();
const number = `trace-${randomUUID()}`;
const requests = { authenticate: '', create: '' };
let transaction: { readonly id: number; readonly uuid: string };
let partner: Subscriber;
let place: string[];

const idOf = ({ headers }: { readonly headers: Readonly<Record<string, unknown>> }) => String(headers['x-request-id']);
const trace = async (...args: string[]) => (await run(['trace', ...args, '--json', ...place])).json;
const whatOf = ({ steps }: { readonly steps: readonly { readonly what: string }[] }) => steps.map(({ what }) => what);

describe.skipIf(cannot.lookInside)('the id of a request', () => {
  beforeAll(async () => {
    const { aws, stateDirectory = '' } = flow;
    const directory = stateOf({ name: aws?.table ?? '', endpoint: aws?.dynamodb ?? '' });
    symlinkSync(join(stateDirectory, 'logs'), join(directory, 'logs'));
    place = ['--state-dir', directory];

    partner = await subscribe(flow, flow.demo.partner);
  });
  afterAll(() => partner?.close());

  it('is in all webhooks that the request caused', async () => {
    const asked = await authenticate(flow, { what: 'earn', amount: 42.5, order: number });
    const created = await create(flow, asked.body.data.authentication_id);
    const [{ id }] = created.body.data.reward_transactions;
    const { uuid_id: uuid } = await completed(flow, id);
    transaction = { id, uuid };
    Object.assign(requests, { authenticate: idOf(asked), create: idOf(created) });
    await heard(partner, transaction.uuid);

    const ids = partner
      .about(transaction.uuid)
      .map(({ headers, body }) => [JSON.parse(body).event, headers['x-platform-request-id']]);
    expect(Object.fromEntries(ids)).toEqual({
      transaction_authenticated: requests.authenticate,
      transaction_created: requests.create,
      transaction_status_updated: requests.create,
    });
  });

  it('is traced to caller, transaction, events, consumers and deliveries', async () => {
    const told = async () => whatOf(await trace(requests.create));
    await expect
      .poll(told, { timeout: 10_000 })
      .toEqual(
        expect.arrayContaining([
          `${flow.demo.merchant.name} (${flow.demo.merchant.id}) called POST reward/reward_transaction/create: 200`,
          `the event transaction_created about ${transaction.uuid} was written`,
          `sync-with-program handled transaction_created about ${transaction.uuid}`,
          expect.stringContaining(`the transaction ${transaction.id} was made (EARN, `),
          `the event transaction_status_updated about ${transaction.uuid} was written`,
          `fan-out-event handled transaction_status_updated about ${transaction.uuid}`,
          expect.stringMatching(
            /^the delivery of transaction_created to .* is delivered after 1 attempt \(status 2\d\d\)$/,
          ),
        ]),
      );
    const story = await trace(requests.create);
    const times = story.steps.map(({ at }: { at: string }) => at);
    expect(times).toEqual(times.toSorted());
    expect(story.requestIds).toEqual([requests.create]);
    expect(story.others).toMatchObject([{ requestId: requests.authenticate, event: 'transaction_authenticated' }]);
    expect(story.steps.find(({ kind }: { kind: string }) => kind === 'consumer').durationMs).toEqual(
      expect.any(Number),
    );
  });

  it.each([
    ['the id of the transaction', () => [String(transaction.id)]],
    ['the UUID of the transaction', () => [transaction.uuid]],
    ["the merchant's number of the order", () => [number, '--merchant', String(flow.demo.merchant.id)]],
  ])('is found by %s', async (_, args) => {
    const { requestIds } = await trace(...args());
    expect(requestIds.toSorted()).toEqual([requests.authenticate, requests.create].toSorted());
  });

  it('is found by the id of a delivery', async () => {
    const [delivery] = partner.about(transaction.uuid).filter(({ body }) => body.includes('status_updated'));
    expect((await trace(String(delivery?.headers['x-platform-event-id']))).requestIds).toEqual([requests.create]);
  });

  it('makes `trace` fail when the id is unknown', async () => {
    const { status, out } = await run(['trace', randomUUID(), ...place]);
    expect(status).toBe(1);
    expect(out).toContain('Neither the table nor the logs have anything about');
  });

  it('is also traced when the command prints text instead of JSON', async () => {
    const { status, out } = await run(['trace', requests.create, ...place]);
    expect(status).toBe(0);
    expect(out).toContain(`Request ${requests.create}`);
    expect(out).toContain('Other requests about the same');
  });

  it('is traced from a refund to its reversal', async () => {
    const refunded = await send('POST', `${flow.hosts.reward}/transactions/${transaction.id}/refunds`, {
      key: flow.demo.merchant.apiKey,
      json: { refund_external_id: `refund-${number}`, amount: 1000 },
    });
    const told = async () => whatOf(await trace(idOf(refunded)));
    await expect
      .poll(told, { timeout: 10_000 })
      .toContainEqual(
        expect.stringMatching(new RegExp(`was made \\(EARN, .*, to reverse transaction ${transaction.id}\\)`)),
      );
  });
});
