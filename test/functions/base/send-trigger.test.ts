import { beforeAll, describe, expect, it } from 'vitest';
import { contract as partnershipContract } from '../../../functions/base/get-partnership/contract.ts';
import { handler as getPartnership } from '../../../functions/base/get-partnership/handler.ts';
import { contract } from '../../../functions/base/send-trigger/contract.ts';
import { handler } from '../../../functions/base/send-trigger/handler.ts';
import { integerIdOf } from '../../../shared/domain/ids.ts';
import type { TriggerEvent } from '../../../shared/domain/trigger/trigger-event.ts';
import { sendTrigger } from '../../../shared/operations/award/send-trigger.ts';
import { createMember } from '../../../shared/operations/member/manage-members.ts';
import { createTrigger } from '../../../shared/operations/partnership/configure-trigger.ts';
import { createPartnership } from '../../../shared/operations/partnership/manage-partnership.ts';
import { partnershipWrite } from '../../../shared/store/campaign/partnerships.ts';
import { changedTriggerWrite } from '../../../shared/store/trigger/triggers.ts';
import { call } from '../../support/call.ts';
import { addPartnership } from '../../support/campaigns.ts';
import { outboxEvents } from '../../support/outbox.ts';
import { provisionOrganisation } from '../../support/provision.ts';
import { makeWorld, type World } from '../../support/world.ts';

const absentUuid = '0190163d-8694-739b-aea5-966c26f8ad91';

let world: World;
let ada: World['demo']['members'][number];
let grace: World['demo']['members'][number];
beforeAll(async () => {
  world = await makeWorld();
  [ada, grace] = world.demo.members as [typeof ada, typeof grace];
  await createTrigger(
    world.demo.partnership,
    {
      name: 'upgraded',
      description: null,
      contextSchema: {
        fields: { plan: { type: 'string', isRequired: true }, 'a/b': { type: 'integer' } },
        allowsOtherFields: false,
      },
    },
    world.platform,
  );
});

interface Sending {
  readonly to?: string;
  readonly by?: string;
  readonly headers?: Record<string, string>;
}

const send = (body: object, { to = world.demo.partnership.uuid, by, headers }: Sending = {}) =>
  call(handler, contract, {
    params: { id: to },
    headers: { 'x-api-key': by ?? world.demo.merchant.apiKey, ...headers },
    body: { trigger_name: 'signup_completed', ...body },
  });

/** Sends a trigger and returns the recorded event. */
async function recorded(body: object, sending?: Sending): Promise<TriggerEvent> {
  const answer = await send(body, sending);
  expect(answer).toMatchObject({ status: 200, body: { code: 'ok' } });
  const event = await world.platform.triggerEvents.find(integerIdOf(answer.body.data.trigger_event_id) ?? 0);
  if (!event) throw new Error('the event was not recorded');
  return event;
}

async function announced({ uuid }: TriggerEvent) {
  return (await outboxEvents(world)).filter(({ entityId }) => entityId === uuid);
}

const withoutRequestId = ({ request_id: _, ...body }: Record<string, unknown>) => body;

describe('endpoint 3, reply 200', () => {
  it('stores the whole event and returns only its id', async () => {
    const { merchant, partner, partnership, trigger } = world.demo;
    const answer = await send({ external_user_id: ada.externalId, transaction_context: trigger.context });

    expect(answer.body).toEqual({ code: 'ok', data: { trigger_event_id: expect.any(String) } });
    const uuid = answer.body.data.trigger_event_id;
    const id = integerIdOf(uuid) ?? 0;
    expect(await world.platform.triggerEvents.find(id)).toEqual({
      id,
      uuid,
      partnershipUuid: partnership.uuid,
      merchantId: merchant.id,
      partnerId: partner.id,
      callerId: merchant.id,
      triggerName: 'signup_completed',
      customTriggerId: expect.any(Number),
      kind: 'CUSTOM',
      userId: ada.id,
      userUuid: null,
      externalUserId: ada.externalId,
      context: trigger.context,
      state: 'RECEIVED',
      revision: 0,
      transactionIds: [],
      receivedAt: expect.any(String),
      updatedAt: expect.any(String),
    });
  });

  it("sends an internal event to the platform's consumers", async () => {
    const event = await recorded({ user_uuid: ada.uuid });
    expect(await announced(event)).toEqual([
      {
        ...{ id: expect.any(String), name: 'trigger_received', entityId: event.uuid, occurredAt: event.receivedAt },
        requestId: expect.any(String),
      },
    ]);
  });

  it('finds the user by UUID or by the caller’s external id', async () => {
    const { partner } = world.demo;
    expect((await recorded({ user_uuid: ada.uuid.toUpperCase() })).userId).toBe(ada.id);
    expect((await recorded({ external_user_id: 'SKY-77001' }, { by: partner.apiKey })).userId).toBe(ada.id);
    expect((await recorded({ external_user_id: ada.externalId }, { by: partner.apiKey })).state).toBe('UNMATCHED');
    expect((await recorded({ external_user_id: ada.externalId, user_uuid: ada.uuid })).userId).toBe(ada.id);
  });

  it('accepts a partnership UUID in upper case', async () => {
    const event = await recorded({}, { to: world.demo.partnership.uuid.toUpperCase() });
    expect(event.partnershipUuid).toBe(world.demo.partnership.uuid);
  });

  it('stores the context unchanged, even with values that DynamoDB rejects', async () => {
    const context = { tiny: 1e-200, large: 1e300, '': 'no name', deep: { list: [1, null, { x: true }] } };
    expect((await recorded({ transaction_context: context })).context).toEqual(context);
  });

  it('returns the same reply to a request with the same Idempotency-Key', async () => {
    const headers = { 'Idempotency-Key': 'sent once' };
    const first = await send({ user_uuid: ada.uuid }, { headers });
    const again = await send({ user_uuid: ada.uuid }, { headers });
    const another = await send({ user_uuid: ada.uuid });

    expect(again.body).toEqual(first.body);
    expect(another.body.data.trigger_event_id).not.toBe(first.body.data.trigger_event_id);
  });

  it('stores an event of an inactive partnership', async () => {
    const { platform, demo } = world;
    const sides = { merchantId: demo.merchant.id, partnerId: demo.partner.id };
    const partnership = await addPartnership(platform, { name: 'Asleep', ...sides });
    await platform.table.write(partnershipWrite({ ...partnership, isActive: false }));
    await createTrigger(partnership, { name: 'woke', description: null, contextSchema: { fields: {} } }, platform);

    const event = await recorded({ trigger_name: 'woke', user_uuid: ada.uuid }, { to: partnership.uuid });
    expect(event.state).toBe('RECEIVED');
  });

  it('does not change what endpoint 6 shows of the partnership', async () => {
    const answer = await call(getPartnership, partnershipContract, {
      params: { id: world.demo.partnership.uuid },
      headers: { 'x-api-key': world.demo.merchant.apiKey },
    });
    expect(answer.body.data.partnership.campaigns).toHaveLength(2);
  });
});

describe('endpoint 3, reply 200 though no user matches', () => {
  it.each([
    ['no identification', {}],
    ['an unknown external id', { external_user_id: 'nobody' }],
    ['an unknown UUID', { user_uuid: absentUuid }],
    ['a UUID of another version', { user_uuid: '7c9e6679-7425-40de-944b-e07fc1f90ae7' }],
  ])('is returned for %s', async (_, body) => {
    const event = await recorded(body);
    expect(event).toMatchObject({ userId: null, state: 'UNMATCHED' });
    expect(await announced(event)).toEqual([]);
  });

  it('is returned for another organisation’s user', async () => {
    const { platform } = world;
    const rival = await provisionOrganisation(platform, { name: 'Rival', kind: 'MERCHANT' });
    const stranger = await createMember(
      {
        firstName: 'Some',
        lastName: 'Body',
        email: 'some@example.com',
        merchant: { id: rival.id, externalId: 'r-1' },
      },
      platform,
    );

    for (const body of [{}, { external_user_id: ada.externalId }]) {
      const event = await recorded({ ...body, user_uuid: stranger.user.uuid });
      expect(event).toMatchObject({ userId: null, state: 'UNMATCHED' });
    }
  });
});

describe('endpoint 3, reply 400 invalid_request', () => {
  const faults = async (body: object) => {
    const answer = await send(body);
    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
    return answer.body.errors.map(({ pointer, code }: { pointer: string; code: string }) => `${pointer} ${code}`);
  };

  it.each([
    ['/trigger_name required', { trigger_name: undefined }],
    ['/trigger_name too_small', { trigger_name: '  ' }],
    ['/trigger_name invalid_type', { trigger_name: 7 }],
    ['/user_uuid invalid_format', { user_uuid: 'abc' }],
    ['/external_user_id invalid_type', { external_user_id: 5 }],
    ['/external_user_id too_big', { external_user_id: 'x'.repeat(256) }],
    ['/transaction_context invalid_type', { transaction_context: [] }],
    ['/transaction_context too_big', { transaction_context: { text: 'x'.repeat(33 * 1024) } }],
  ])('is returned with the fault %s', async (fault, body) => {
    expect(await faults(body)).toEqual([fault]);
  });

  it('is returned for a context that is nested too deeply', async () => {
    const nested = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
    const ask = (levels: number) =>
      call(handler, contract, {
        params: { id: world.demo.partnership.uuid },
        headers: { 'x-api-key': world.demo.merchant.apiKey },
        body: `{"trigger_name":"signup_completed","transaction_context":${nested(levels)}}`,
      });

    expect((await ask(10)).status).toBe(200);
    for (const levels of [11, 500]) {
      expect(await ask(levels)).toMatchObject({ status: 400, body: { errors: [{ pointer: '/transaction_context' }] } });
    }
    expect(await ask(40_000)).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
  });

  it('is returned for an unknown, inactive or foreign trigger', async () => {
    const { platform, demo } = world;
    const trigger = await createTrigger(
      demo.partnership,
      {
        name: 'retired',
        description: null,
        contextSchema: { fields: {} },
      },
      platform,
    );
    await platform.table.write(changedTriggerWrite({ ...trigger, isActive: false }));
    const sides = { merchantId: demo.merchant.id, partnerId: demo.outsider.id };
    const other = await createPartnership({ name: 'Other', description: null, ...sides }, platform);
    await createTrigger(other, { name: 'theirs', description: null, contextSchema: { fields: {} } }, platform);

    for (const trigger_name of ['unheard_of', 'retired', 'theirs', 'SIGNUP_COMPLETED']) {
      expect(await faults({ trigger_name })).toEqual(['/trigger_name not_configured']);
    }
  });

  it('is returned with every fault of the context', async () => {
    expect(await faults({ trigger_name: 'upgraded' })).toEqual(['/transaction_context/plan required']);
    expect(await faults({ trigger_name: 'upgraded', transaction_context: { 'a/b': 'x', 'c~d': 1 } })).toEqual([
      '/transaction_context/plan required',
      '/transaction_context/a~1b invalid_type',
      '/transaction_context/c~0d unrecognized_key',
    ]);
  });

  it('is returned when the two user ids name different users', async () => {
    expect(await faults({ user_uuid: ada.uuid, external_user_id: grace.externalId })).toEqual([
      '/external_user_id another_user',
    ]);
  });
});

describe('endpoint 3, reply 404 partnership_does_not_exist', () => {
  it('is returned alike for foreign, deleted and unknown partnerships', async () => {
    const { platform, demo } = world;
    const sides = { merchantId: demo.merchant.id, partnerId: demo.partner.id };
    const deleted = await addPartnership(platform, { name: 'Gone', ...sides });
    await platform.table.write(partnershipWrite({ ...deleted, isDeleted: true }));

    const answers = await Promise.all([
      send({}, { by: demo.outsider.apiKey }),
      send({ trigger_name: 'unheard_of', user_uuid: ada.uuid }, { by: demo.outsider.apiKey }),
      send({}, { to: deleted.uuid }),
      send({}, { to: absentUuid }),
      send({}, { to: 'not-a-uuid' }),
    ]);

    for (const { status, body } of answers) {
      expect(status).toBe(404);
      expect(withoutRequestId(body)).toEqual({
        code: 'partnership_does_not_exist',
        message: 'The partnership does not exist',
      });
    }
  });
});

describe('recording a trigger event', () => {
  it('uses another id when the first id is taken', async () => {
    const { platform } = world;
    const event = await recorded({ user_uuid: ada.uuid });
    const fresh = platform.nextIds();
    const ids = [{ id: event.id, uuid: event.uuid }, fresh];

    const second = await sendTrigger(
      {
        callerId: event.callerId,
        partnershipUuid: event.partnershipUuid,
        triggerName: event.triggerName,
        userUuid: event.userUuid,
        externalUserId: event.externalUserId,
        transactionContext: event.context,
      },
      { ...platform, nextIds: () => ids.shift() ?? fresh },
    );

    expect(second.id).toBe(fresh.id);
    expect(await announced(second)).toHaveLength(1);
  });
});
