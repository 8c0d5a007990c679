import { randomUUID } from 'node:crypto';
import { Logger } from '@aws-lambda-powertools/logger';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { guessingMessage } from '../../../shared/contracts/guessing-alarm.ts';
import type { ProofSubject } from '../../../shared/domain/connect/proof-counter.ts';
import { openProgramAccount } from '../../../shared/operations/member/program-accounts.ts';
import { connectStory, openAccount } from '../../support/connect-story.ts';
import { makeWorld, type World } from '../../support/world.ts';

/** Attempts to guess PINs, of one account and of many. */

let world: World;
let account: string;
beforeAll(async () => {
  world = await makeWorld();
});
beforeEach(async () => {
  account = `acc-${randomUUID()}`;
  await openAccount(world, account);
});
afterEach(() => vi.restoreAllMocks());

const { connectToken, link } = connectStory(() => ({ world, account }));
const wrong = { proof: '000000' };

let lastAddress = 0;
/** A new IP address, so that one test does not lock the address of another test. */
function newAddress(): string {
  lastAddress += 1;
  return `198.51.100.${lastAddress}`;
}

/** Guesses in sessions of five attempts each, one guess after the other. */
async function guess(times: number, request: (index: number) => object, address: string) {
  const answers = [];
  let token = '';
  for (let index = 0; index < times; index += 1) {
    if (index % 5 === 0) token = await connectToken();
    answers.push(await link(token, { ...wrong, ...request(index) }, { address }));
  }
  return answers;
}

/** Makes the wrong proofs of a subject this number, as if others had guessed. */
async function setCount(subject: ProofSubject, attempts: number): Promise<void> {
  const { proofCounters, now } = world.platform;
  await proofCounters.reset(subject);
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    await proofCounters.claim(subject, await proofCounters.find(subject), { now: now(), maximum: 1_000 });
  }
}

describe('proofs for many accounts', () => {
  it('are refused after five accounts per session, even in parallel', async () => {
    const token = await connectToken();
    const numbers = Array.from({ length: 40 }, () => `burst-${randomUUID()}`);
    const address = newAddress();
    const answers = await Promise.all(numbers.map((member_id) => link(token, { ...wrong, member_id }, { address })));

    expect(answers.filter(({ body }) => body.error === 'verification_failed')).toHaveLength(5);
    const counters = await Promise.all(
      numbers.map((memberId) =>
        world.platform.proofCounters.find({ kind: 'account', partnerId: world.demo.partner.id, memberId }),
      ),
    );
    expect(counters.filter(Boolean)).toHaveLength(5);
  });

  it('are refused for an IP address after fifty wrong PINs', async () => {
    const address = newAddress();
    const answers = await guess(50, (index) => ({ member_id: `spray-${account}-${index}` }), address);
    expect(new Set(answers.map(({ body }) => body.error))).toEqual(new Set(['verification_failed']));

    const locked = await link(await connectToken(), {}, { address });
    expect(locked).toMatchObject({ status: 429, body: { error: 'rate_limit_exceeded' } });
    const seconds = Number(locked.headers['Retry-After']);
    expect(seconds).toBeGreaterThan(14 * 60);
    expect(seconds).toBeLessThanOrEqual(15 * 60);
    expect((await link(await connectToken(), {}, { address: newAddress() })).status).toBe(200);
  });

  describe('when three hundred were wrong in the sessions of one organisation', () => {
    const organisation = () => ({ kind: 'organisation', organisationId: world.demo.merchant.id }) as const;
    beforeEach(() => setCount(organisation(), 300));
    afterEach(() => world.platform.proofCounters.reset(organisation()));

    it('refuse no person whose account and network did nothing, and raise an alarm', async () => {
      const error = vi.spyOn(Logger.prototype, 'error');
      expect((await link(await connectToken(), {}, { address: newAddress() })).status).toBe(200);
      expect(error.mock.calls.map(([message]) => message)).toContain(guessingMessage);
    });

    it('are refused for an address and for an account after two more', async () => {
      const address = newAddress();
      await guess(2, (index) => ({ member_id: `spray-${account}-${index}` }), address);
      expect((await link(await connectToken(), {}, { address })).status).toBe(429);

      for (const _ of [1, 2, 3]) await link(await connectToken(), wrong, { address: newAddress() });
      const locked = await link(await connectToken(), {}, { address: newAddress() });
      expect(locked.body.error).toBe('verification_failed');
    });
  });

  it('do not lock the customers of a shop whose server calls for all of them', async () => {
    const address = newAddress();
    const asCustomer = (customer: string, body: object) =>
      connectToken({ user: { external_id: customer } }).then((token) => link(token, body, { address }));
    await setCount({ kind: 'sharedAddress', address }, 50);
    for (const index of [1, 2]) {
      const guessed = { ...wrong, member_id: `shop-${account}-${index}` };
      expect((await asCustomer(`guesser-${account}`, guessed)).body.error).toBe('verification_failed');
    }
    expect((await asCustomer(`guesser-${account}`, {})).status).toBe(429);
    expect((await asCustomer(`honest-${account}`, {})).status).toBe(200);
  });

  it('are refused for a customer after ten wrong PINs, from any address', async () => {
    const user = { external_id: `one-${account}` };
    await setCount({ kind: 'customer', organisationId: world.demo.merchant.id, externalId: user.external_id }, 9);
    await link(await connectToken({ user }), { ...wrong, member_id: `ten-${account}` }, { address: newAddress() });
    expect((await link(await connectToken({ user }), {}, { address: newAddress() })).status).toBe(429);
    expect((await link(await connectToken(), {}, { address: newAddress() })).status).toBe(200);
  });

  it('keep the count of wrong PINs of their IP address after a right PIN', async () => {
    const address = newAddress();
    await guess(4, (index) => ({ member_id: `own-${account}-${index}` }), address);
    expect((await link(await connectToken(), {}, { address })).status).toBe(200);
    expect(await world.platform.proofCounters.find({ kind: 'address', address })).toMatchObject({ attempts: 4 });
  });
});

describe('proofs for one account', () => {
  it('are counted from zero again after a right proof', async () => {
    const address = newAddress();
    await guess(4, () => ({}), address);
    expect((await link(await connectToken(), {}, { address })).status).toBe(200);
    await guess(4, () => ({}), address);
    expect((await link(await connectToken(), {}, { address })).status).toBe(200);
  });

  it('lock an unknown account number like a known one', async () => {
    const [absent, address] = [`absent-${account}`, newAddress()];
    await guess(6, () => ({ member_id: absent }), address);
    await guess(6, () => ({}), address);
    const [ofAbsent, ofAccount] = await Promise.all(
      [absent, account].map((memberId) =>
        world.platform.proofCounters.find({ kind: 'account', partnerId: world.demo.partner.id, memberId }),
      ),
    );
    expect(ofAbsent).toMatchObject({ isLocked: true, locks: 1 });
    expect(ofAccount).toMatchObject({ isLocked: true, locks: 1 });
  });

  it.each([
    ['a linked account', 'SKY-77001'],
    ['a number that no account has', 'SKY-0'],
  ])('make the same DynamoDB calls for %s as for an unlinked account', async (_, number) => {
    const expected = await callsOf(account);
    expect(await callsOf(number)).toEqual(expected);
  });

  it.each(['1234', '12345', 'abcdef', ''])('need at least six digits, so no account has the PIN %j', async (pin) => {
    const holder = { firstName: 'A', lastName: 'B', email: null, statusTierId: null, points: 0 };
    const opened = openProgramAccount(world.demo.partner.id, { ...holder, memberId: account, pin }, world.platform);
    await expect(opened).rejects.toThrow('six digits');
  });
});

/** The DynamoDB calls of a proof with a wrong PIN: the operation and the kind of item of each call. */
async function callsOf(memberId: string): Promise<string[]> {
  const [token, address] = [await connectToken(), newAddress()];
  const calls: string[] = [];
  const send = DynamoDBDocumentClient.prototype.send;
  const spy = vi.spyOn(DynamoDBDocumentClient.prototype, 'send').mockImplementation(function (
    this: DynamoDBDocumentClient,
    ...[command]: Parameters<typeof send>
  ) {
    const { Key, Item } = command.input as { Key?: { pk: string }; Item?: { pk: string } };
    calls.push(`${command.constructor.name} ${/^[A-Z_]+/.exec((Key ?? Item)?.pk ?? '')?.[0] ?? ''}`);
    return Reflect.apply(send, this, [command]);
  });
  expect((await link(token, { ...wrong, member_id: memberId }, { address })).body.error).toBe('verification_failed');
  spy.mockRestore();
  return calls.toSorted();
}
