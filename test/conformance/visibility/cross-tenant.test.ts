import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { contracts } from '../../../functions/contracts.ts';
import type { AnyContract } from '../../../shared/contracts/contract.ts';
import { issueUserTokens } from '../../../shared/operations/member/issue-user-tokens.ts';
import { fanOutEvent } from '../../../shared/operations/webhook/fan-out-event.ts';
import type { DeliveryMessage } from '../../../shared/webhooks/delivery.ts';
import type { Request } from '../../support/call.ts';
import { issueToken } from '../../support/story.ts';
import { makeConnectToken, makeSecrets, type Secrets } from './credentials.ts';
import { send } from './raw.ts';
import { rowName } from './rows.ts';
import { makeScene, type Scene, type Side, sides } from './scene.ts';

/** Identifiers, keys and texts that two tenants may both use. */

let scene: Scene;
let secrets: Secrets;
beforeAll(async () => {
  scene = await makeScene();
  secrets = await makeSecrets(scene);
});

const contractOf = (name: string) => contracts.find((contract) => rowName(contract) === name) as AnyContract;
const ask = (name: string, request: Request) => send(contractOf(name), request);
const keyOf = (side: Side) => ({ 'x-api-key': secrets[side].partnerKey });
const form = (fields: Record<string, string>) => new URLSearchParams(fields).toString();

describe('cursors of lists', () => {
  const list = (side: Side, query: Record<string, string>) =>
    ask('campaign/list-campaigns', { headers: keyOf(side), query: { campaign_types: '1,2', limit: '1', ...query } });
  const nextOf = ({ text }: { readonly text: string }): string => JSON.parse(text).cursor.next;

  it('are refused with the same reply whether they are foreign or invented', async () => {
    const own = nextOf(await list('own', {}));
    const replies = [
      await list('partner', { cursor: own }),
      await list('unrelated', { cursor: own }),
      await list('own', { cursor: own, campaign_types: '1' }),
      await list('own', { cursor: own, limit: '2' }),
      await list('own', { cursor: 'nonsense' }),
    ];
    expect(replies[0]?.status).toBe(400);
    for (const reply of replies) expect(reply).toEqual(replies[0]);
    expect((await list('own', { cursor: own })).status).toBe(200);
  });

  it('do not reveal data of other tenants', async () => {
    const [own, others] = await Promise.all([list('own', {}), list('sibling', {})]);
    expect(nextOf(own).length).toBeLessThan(300);
    expect(nextOf(others)).toBeNull();
  });
});

describe('an order id', () => {
  const order = (side: Side, id: string) => {
    const user = { user_id: scene.shared.user.id };
    const body = { user, transaction_total: 100, transaction_subtotal: 100, order_external_id: id };
    return ask('order/create-order', { headers: keyOf(side), body });
  };

  it('can be used once by each merchant', async () => {
    const id = randomUUID();
    expect((await order('own', id)).status).toBe(200);
    expect((await order('sibling', id)).status).toBe(200);
    expect((await order('sibling', id)).status).toBe(409);
  });
});

describe('an external transaction id', () => {
  it('can be used by a second merchant', async () => {
    const { world, shared, organisations, campaigns } = scene;
    const id = randomUUID();
    await issueToken(world, id);
    const tokens = await issueUserTokens({ member: shared, merchantId: organisations.sibling.id }, world.platform);
    const reply = await ask('reward/authenticate-transaction', {
      headers: { 'x-api-key': tokens.accessToken },
      body: { transaction_amount: 100, external_transaction_id: id, campaign_id: campaigns.sibling },
    });
    expect(JSON.parse(reply.text).data.authentication_status).toBe(1);
  });
});

describe('an idempotency key', () => {
  it('identifies separate requests when two tenants use it', async () => {
    const headers = (side: Side) => ({ ...keyOf(side), 'Idempotency-Key': 'shared' });
    const body = { trigger_name: 'signup_completed' };
    const of = (side: Side, uuid: string) =>
      ask('base/send-trigger', { params: { id: uuid }, headers: headers(side), body });
    const { own } = scene.partnerships;
    const replies = [await of('own', own.uuid), await of('partner', own.uuid), await of('unrelated', own.uuid)];

    expect(replies.map(({ status }) => status)).toEqual([200, 200, 404]);
    expect(replies[0]?.text).not.toBe(replies[1]?.text);
    expect(replies.flatMap(({ headers }) => headers.map(([name]) => name))).not.toContain('Idempotent-Replayed');
    const again = await of('own', own.uuid);
    expect(again.text).toBe(replies[0]?.text);
  });
});

describe('an organisation', () => {
  const exchange = (side: Side, fields: Record<string, string>) =>
    ask('base/issue-token', { headers: keyOf(side), body: form(fields) });

  it('gets 400 when it exchanges the code of another organisation', async () => {
    const { world, organisations } = scene;
    const token = await makeConnectToken(world, organisations.own.id);
    const body = { partner_id: organisations.partner.id, member_id: 'SKY-77002', proof: '246802' };
    const linked = await ask('base/link-account', { params: { connect_token: token }, body });
    const { code } = JSON.parse(linked.text).data;
    const fields = { grant_type: 'authorization_code', code };

    const foreign = await exchange('sibling', fields);
    expect(foreign).toEqual(await exchange('sibling', { ...fields, code: 'nonsense' }));
    expect(foreign.status).toBe(400);
    expect((await exchange('own', fields)).status).toBe(200);
  });

  it('can neither revoke nor detect the tokens of another organisation', async () => {
    const { world, members, organisations } = scene;
    const tokens = await issueUserTokens({ member: members.own, merchantId: organisations.own.id }, world.platform);
    const revoke = (side: Side, token: string) =>
      ask('base/revoke-token', { headers: keyOf(side), body: form({ token }) });
    const replies = [
      await revoke('sibling', tokens.refreshToken),
      await revoke('sibling', tokens.accessToken),
      await revoke('sibling', 'nonsense'),
    ];
    for (const reply of replies) expect(reply).toEqual(replies[0]);
    const fields = { grant_type: 'refresh_token', refresh_token: tokens.refreshToken };
    expect((await exchange('own', fields)).status).toBe(200);
  });
});

describe('a user of two merchants', () => {
  const view = async (side: Side) => {
    const reply = await ask('base/get-user', { headers: keyOf(side), params: { id: scene.shared.user.uuid } });
    return JSON.parse(reply.text).data.user;
  };
  const merchantsOf = (user: { merchants: { merchant_id: number }[] }) => user.merchants.map((one) => one.merchant_id);

  it('is shown to each merchant without the data of the other', async () => {
    const { own, sibling } = scene.organisations;
    const [toOwn, toSibling, toPartner] = [await view('own'), await view('sibling'), await view('partner')];
    expect(merchantsOf(toOwn)).toEqual([own.id]);
    expect(merchantsOf(toSibling)).toEqual([sibling.id]);
    expect(merchantsOf(toPartner).sort()).toEqual([own.id, sibling.id].sort());
    expect([toOwn.external_id, toSibling.external_id]).toEqual(['Shared-1001', 'Sibling-2002']);
    expect(toPartner.external_id).toBe('Shared-SKY');
  });
});

describe('webhook subscriptions', () => {
  it('send an organisation only the events that it may read', async () => {
    const { world, transactions, organisations } = scene;
    for (const side of sides) {
      const body = { endpoint: `https://${side}.example.com/hook` };
      expect((await ask('notification/subscribe-webhook', { headers: keyOf(side), body })).status).toBe(200);
    }
    const sent: DeliveryMessage[] = [];
    const { merchantId, partnerId, uuid } = transactions.present;
    const event = {
      id: randomUUID(),
      name: 'transaction_created' as const,
      entityId: uuid,
      occurredAt: new Date().toISOString(),
      merchantId,
      partnerId,
    };
    await fanOutEvent(event, {
      subscriptions: world.platform.subscriptions,
      fastQueue: { send: async (messages) => void sent.push(...messages) },
      slowQueue: { send: async (messages) => void sent.push(...messages) },
    });
    const heard = sent.map(({ subscription }) => subscription.organisationId);
    expect(heard.sort()).toEqual([organisations.own.id, organisations.partner.id].sort());
  });

  it('cannot be changed, deleted or detected by another organisation', async () => {
    const update = (side: Side, endpoint: string, event: string) =>
      ask('notification/update-webhook', { headers: keyOf(side), body: { endpoint, event_name: event } });
    const body = { endpoint: 'https://own.example.com/ended', event_name: 'campaign_ended' };
    await ask('notification/subscribe-webhook', { headers: keyOf('own'), body });

    const foreign = await update('sibling', '', 'campaign_ended');
    expect(foreign).toEqual(await update('sibling', '', 'campaign_updated'));
    expect(foreign.status).toBe(404);
    expect((await update('own', 'https://own.example.com/moved', 'campaign_ended')).status).toBe(200);
  });
});
