import { randomUUID } from 'node:crypto';
import { programCalls } from '../../shared/programs/contract.ts';
import { standardHeaders } from '../../shared/webhooks/standard-webhooks.ts';
import { excerpt, type Partner, type RawReply, require, type Tampering } from './partner.ts';

/** One promise of the contract: how to check it, and how to keep it. */
export interface Check {
  /** The promise, as a sentence about the server. */
  readonly promise: string;
  /** The remedy when the promise is broken. */
  readonly advice: string;
  /** @throws BrokenContractError when the server breaks the promise */
  readonly run: (partner: Partner) => Promise<void>;
}

const { verifyMember, getBalance, postTransaction, queryTransaction } = programCalls;

/** Runs some work, and then checks that the balance changed by `points`. */
async function expectChange(partner: Partner, points: number, work: () => Promise<unknown>): Promise<void> {
  const before = await partner.balance();
  await work();
  const after = await partner.balance();
  require(after - before === points, `the balance was ${before} and is ${after} now; it should be ${before + points}`);
}

/** Adds points for the duration of some work, so the account has enough points. */
async function withPoints(partner: Partner, points: number, work: () => Promise<void>): Promise<void> {
  const loan = partner.posting('earn', points);
  await requireStatus(partner, loan, 'confirmed');
  try {
    await work();
  } finally {
    await partner.cancel(loan.transaction_uuid);
  }
}

async function requireStatus(partner: Partner, posting: ReturnType<Partner['posting']>, status: string): Promise<void> {
  const answer = await partner.settle(posting);
  const found = answer.status === 'rejected' ? `rejected (${answer.reason})` : answer.status;
  require(answer.status ===
    status, `a transaction of ${posting.points_change} points (${posting.type}) was ${found}; it should be ${status}`);
}

function requireRefusal(reply: RawReply, statuses: readonly number[], what: string): void {
  require(statuses.includes(
    reply.status,
  ), `${what} was answered with ${reply.status} instead of ${statuses.join(' or ')}: ${excerpt(reply.text)}`);
}

function requireRefusedProof({ status, text }: RawReply, what: string): void {
  const isRefused = /"result"\s*:\s*"refused"/.test(text);
  require(status === 200 && isRefused, `${what} was answered with ${status}: ${excerpt(text)}`);
}

/** Sends a balance request with a changed signature. */
const askBalance = (partner: Partner, tampering: Tampering) =>
  partner.send(getBalance.path, { member_id: partner.settings.memberId }, tampering);

const minutesMs = 60_000;

const signatureChecks: readonly Check[] = [
  {
    promise: 'refuses a request without a signature',
    advice: 'Reply 401 when webhook-id, webhook-timestamp or webhook-signature is missing.',
    run: async (partner) => {
      const headers = () => ({ 'content-type': 'application/json' });
      requireRefusal(await askBalance(partner, { headers }), [401, 403], 'a request without a signature');
    },
  },
  {
    promise: 'refuses a request that another secret signed',
    advice: 'Compute HMAC-SHA-256 over "<webhook-id>.<webhook-timestamp>.<body>" with your secret, and compare it.',
    run: async (partner) => {
      const body = JSON.stringify({ member_id: partner.settings.memberId });
      const forged = standardHeaders({ id: randomUUID(), body, signedAt: new Date() }, [Buffer.from('another key')]);
      const headers = () => ({ 'content-type': 'application/json', ...forged });
      requireRefusal(await askBalance(partner, { headers }), [401, 403], 'a request that another secret signed');
    },
  },
  {
    promise: 'refuses a request whose body was changed',
    advice: 'Verify the signature of the body that arrived, before you parse it.',
    run: async (partner) => {
      const body = (signed: string) => signed.replace('{', '{"added":1,');
      requireRefusal(await askBalance(partner, { body }), [401, 403], 'a request whose body was changed');
    },
  },
  ...[-10, 10].map(
    (minutes): Check => ({
      promise: `refuses a request that was signed ${minutes < 0 ? '10 minutes ago' : 'for a time 10 minutes ahead'}`,
      advice: 'Reply 401 when webhook-timestamp differs from your clock by more than 5 minutes.',
      run: async (partner) => {
        const signedAt = new Date(Date.now() + minutes * minutesMs);
        requireRefusal(await askBalance(partner, { signedAt }), [401, 403], `a request ${minutes} minutes away`);
      },
    }),
  ),
  {
    promise: 'accepts a request with two signatures of which the second is its own',
    advice:
      'webhook-signature may contain several signatures, separated by blanks: accept the request when one of them is right. The platform sends two while a secret is replaced.',
    run: async (partner) => {
      const headers: Tampering['headers'] = (own) => ({
        ...own,
        'webhook-signature': `v1,${Buffer.alloc(32).toString('base64')} ${own['webhook-signature']}`,
      });
      await partner.call(getBalance, { member_id: partner.settings.memberId }, { headers });
    },
  },
  {
    promise: 'verifies the bytes that arrived, however they are formatted',
    advice: 'Do not serialize the parsed body again: verify the raw body.',
    run: async (partner) => {
      const format = (request: unknown) => JSON.stringify(request, undefined, 2);
      await partner.call(getBalance, { member_id: partner.settings.memberId }, { format });
    },
  },
];

const formChecks: readonly Check[] = [
  {
    promise: 'replies 400 to a body that is not JSON',
    advice: 'A malformed request is not a fault of your server: do not reply 500.',
    run: async (partner) => {
      const reply = await partner.send(getBalance.path, {}, { format: () => '{"member_id":' });
      requireRefusal(reply, [400, 415, 422], 'a body that is not JSON');
    },
  },
  {
    promise: 'replies 400 to a request without its fields',
    advice: 'Check the fields of a request before you use them.',
    run: async (partner) => {
      requireRefusal(await partner.send(postTransaction.path, {}), [400, 422], 'a transaction without fields');
    },
  },
  {
    promise: 'ignores fields that it does not know',
    advice: 'Later versions of the contract may add fields to requests: ignore them.',
    run: async (partner) => {
      const format = (request: unknown) => JSON.stringify({ ...(request as object), added_later: true });
      await partner.call(getBalance, { member_id: partner.settings.memberId }, { format });
    },
  },
];

const memberChecks: readonly Check[] = [
  {
    promise: 'verifies the account by its proof',
    advice: `Reply ${'`{"result":"verified","member":{…}}`'} with the account, as the contract has it.`,
    run: async (partner) => {
      const { memberId, proof } = partner.settings;
      const found = await partner.verify(memberId, proof);
      require(found.result === 'verified', `the proof of the account ${memberId} was refused`);
      require(found.member.member_id === memberId, `member_id is ${found.member.member_id} instead of ${memberId}`);
      const balance = await partner.balance();
      require(found.member.balance ===
        balance, `/members/verify gives the balance ${found.member.balance}, /members/balance ${balance}`);
    },
  },
  {
    promise: 'refuses a wrong proof and an unknown account in the same way',
    advice: `Reply 200 with ${'`{"result":"refused"}`'} to both, so that the reply does not show which accounts exist.`,
    run: async (partner) => {
      const { memberId, proof } = partner.settings;
      const wrong = await partner.send(verifyMember.path, { member_id: memberId, proof: `${proof}-wrong` });
      const unknown = await partner.send(verifyMember.path, { member_id: `none-${randomUUID()}`, proof });
      requireRefusedProof(wrong, 'a wrong proof');
      requireRefusedProof(unknown, 'an unknown account');
      require(wrong.text ===
        unknown.text, `a wrong proof was answered ${excerpt(wrong.text)}, an unknown account ${excerpt(unknown.text)}`);
      const again = await partner.verify(memberId, proof);
      require(again.result === 'verified', 'one wrong proof locked the account; allow at least five');
    },
  },
  {
    promise: 'says that it does not find the balance of an unknown account',
    advice: `Reply 200 with ${'`{"result":"not_found"}`'}.`,
    run: async (partner) => {
      const found = await partner.call(getBalance, { member_id: `none-${randomUUID()}` });
      require(found.result === 'not_found', 'an unknown account has a balance');
    },
  },
];

const postingChecks: readonly Check[] = [
  {
    promise: 'adds and takes points',
    advice: 'Add points_change to the balance. It is negative for a payment.',
    run: async (partner) => {
      await expectChange(partner, 10, () => requireStatus(partner, partner.posting('earn', 10), 'confirmed'));
      await expectChange(partner, -10, () => requireStatus(partner, partner.posting('redeem', -10), 'confirmed'));
    },
  },
  {
    promise: 'applies a repeated transaction once',
    advice:
      'Store transaction_uuid with your answer in the database transaction that moves the points. Reply the stored answer to a repetition.',
    run: async (partner) => {
      const posting = partner.posting('earn', 10);
      const first = await partner.settle(posting);
      await expectChange(partner, 0, async () => {
        const again = await partner.settle(posting);
        require(again.status ===
          first.status, `the repetition was answered ${again.status}, the first request ${first.status}`);
      });
      await partner.cancel(posting.transaction_uuid);
    },
  },
  {
    promise: 'applies a transaction once when it arrives several times at the same moment',
    advice:
      'Do not look first and write later. Let a unique index on transaction_uuid decide, inside the database transaction that moves the points.',
    run: async (partner) => {
      const posting = partner.posting('earn', 10);
      await expectChange(partner, 10, () => Promise.all(Array.from({ length: 8 }, () => partner.settle(posting))));
      await partner.cancel(posting.transaction_uuid);
    },
  },
  {
    promise: 'refuses a known transaction with another content',
    advice: 'Compare the body with the stored one, and reply 409 when they differ.',
    run: async (partner) => {
      const posting = partner.posting('earn', 10);
      await partner.settle(posting);
      await expectChange(partner, 0, async () => {
        const reply = await partner.send(postTransaction.path, { ...posting, points_change: 11 });
        requireRefusal(reply, [409], 'a known transaction with other points');
      });
      await partner.cancel(posting.transaction_uuid);
    },
  },
  {
    promise: 'rejects a payment that the balance does not cover, for good',
    advice:
      'Answer rejected with a reason, store the answer, and reply it to every repetition, also after points arrived.',
    run: async (partner) => {
      const balance = await partner.balance();
      const posting = partner.posting('redeem', -(Math.max(balance, 0) + 10));
      await expectChange(partner, 0, () => requireStatus(partner, posting, 'rejected'));
      await withPoints(partner, 20, async () => {
        await expectChange(partner, 0, () => requireStatus(partner, posting, 'rejected'));
      });
    },
  },
  {
    promise: 'rejects a transaction of an unknown account',
    advice: 'Answer 200 with rejected and a reason: an error status would be repeated for a day.',
    run: (partner) =>
      requireStatus(partner, partner.posting('earn', 10, { member_id: `none-${randomUUID()}` }), 'rejected'),
  },
  {
    promise: 'reverses an award, also below zero',
    advice: 'A reversal follows a refund: apply it even when the balance becomes negative.',
    run: async (partner) => {
      const points = Math.max(await partner.balance(), 0) + 10;
      const reversed_transaction_uuid = randomUUID();
      const reversal = partner.posting('earn_reversal', -points, { reversed_transaction_uuid });
      await expectChange(partner, -points, () => requireStatus(partner, reversal, 'confirmed'));
      const back = partner.posting('redeem_reversal', points, { reversed_transaction_uuid });
      await expectChange(partner, points, () => requireStatus(partner, back, 'confirmed'));
    },
  },
  {
    promise: 'takes a settlement, also below zero',
    advice: 'A settlement takes points that a member owes: apply it like a reversal, whatever the balance is.',
    run: async (partner) => {
      const points = Math.max(await partner.balance(), 0) + 10;
      const settlement = partner.posting('settlement', -points, { reversed_transaction_uuid: randomUUID() });
      await expectChange(partner, -points, () => requireStatus(partner, settlement, 'confirmed'));
      await expectChange(partner, points, () => requireStatus(partner, partner.posting('earn', points), 'confirmed'));
    },
  },
  {
    promise: 'records a transaction of money without moving points',
    advice: 'points_change is 0 when the reward is cashback: confirm it.',
    run: (partner) =>
      expectChange(partner, 0, () =>
        requireStatus(partner, partner.posting('earn', 0, { cashback_change_cents: 250 }), 'confirmed'),
      ),
  },
];

const queryChecks: readonly Check[] = [
  {
    promise: 'answers a query like the transaction itself',
    advice: 'Reply the stored answer to /transactions/query.',
    run: async (partner) => {
      const posting = partner.posting('earn', 10);
      const posted = await partner.settle(posting);
      const queried = await partner.query(posting.transaction_uuid);
      require(queried.status === posted.status, `the query answers ${queried.status}, the post ${posted.status}`);
      require(queried.transaction_uuid ===
        posting.transaction_uuid, `the query answers for transaction ${queried.transaction_uuid}`);
      await partner.cancel(posting.transaction_uuid);
    },
  },
  {
    promise: 'does not store a transaction because of a query',
    advice: `Reply 200 with ${'`{"status":"not_found"}`'}, and nothing else happens: the platform posts the transaction next.`,
    run: async (partner) => {
      const posting = partner.posting('earn', 10);
      for (const query of ['first', 'second']) {
        const { status } = await partner.call(queryTransaction, { transaction_uuid: posting.transaction_uuid });
        require(status === 'not_found', `the ${query} query of an unknown transaction answers ${status}`);
      }
      await expectChange(partner, 10, () => requireStatus(partner, posting, 'confirmed'));
      await partner.cancel(posting.transaction_uuid);
    },
  },
];

const cancellationChecks: readonly Check[] = [
  {
    promise: 'cancels a transaction once',
    advice: 'Return its points in the database transaction that marks it as cancelled. A repetition returns nothing.',
    run: async (partner) => {
      const posting = partner.posting('earn', 10);
      await expectChange(partner, 0, async () => {
        await requireStatus(partner, posting, 'confirmed');
        await partner.cancel(posting.transaction_uuid);
        await partner.cancel(posting.transaction_uuid);
      });
      const { status } = await partner.query(posting.transaction_uuid);
      require(status === 'cancelled', `the query of a cancelled transaction answers ${status}`);
    },
  },
  {
    promise: 'does not apply a cancelled transaction that is posted again',
    advice: 'Keep cancelled transactions: the answer to a post is cancelled, and no points move.',
    run: async (partner) => {
      const posting = partner.posting('earn', 10);
      await partner.settle(posting);
      await partner.cancel(posting.transaction_uuid);
      await expectChange(partner, 0, () => requireStatus(partner, posting, 'cancelled'));
    },
  },
  {
    promise: 'does not apply a transaction that arrives after its cancellation',
    advice: 'Store the UUID of a cancellation also when you do not know the transaction: a delayed request may follow.',
    run: async (partner) => {
      const posting = partner.posting('earn', 10);
      await partner.cancel(posting.transaction_uuid);
      await expectChange(partner, 0, () => requireStatus(partner, posting, 'cancelled'));
    },
  },
];

/** Every promise of the contract that can be checked from outside. */
export const checks: readonly Check[] = [
  ...signatureChecks,
  ...formChecks,
  ...memberChecks,
  ...postingChecks,
  ...queryChecks,
  ...cancellationChecks,
];

/** The result of one check. */
export interface Finding {
  readonly promise: string;
  /** How the server breaks the promise, and the remedy; undefined when the server keeps the promise. */
  readonly broken?: { readonly fault: string; readonly advice: string };
  /** Whether every other check would fail for the same cause, so none of them is run. */
  readonly endsCheck?: true;
}

/** The first request. If nothing answers it, or the server is elsewhere or has another secret, no other promise is kept. */
export const probe: Check = {
  promise: 'answers a signed request for the balance of the account',
  advice:
    'No reply: check the address, the port and the certificate. 404: the URL is what stands before /members/balance. ' +
    '401 or 403: both sides need the same secret, and clocks that agree.',
  run: async (partner) => {
    const { memberId: member_id } = partner.settings;
    const { status, text } = await partner.send(getBalance.path, { member_id });
    const isElsewhere = [401, 403, 404, 405].includes(status) || (status >= 300 && status < 400);
    require(!isElsewhere, `${getBalance.path} replied ${status} to a signed request: ${excerpt(text)}`);
  },
};

/** Runs every check, one after the other, because all use one account. Ends after the first request if it explains all. */
export async function* checkProgram(partner: Partner): AsyncGenerator<Finding> {
  const first = await findingOf(probe, partner);
  yield first.broken ? { ...first, endsCheck: true } : first;
  if (first.broken) return;
  for (const check of checks) yield findingOf(check, partner);
}

async function findingOf({ promise, advice, run }: Check, partner: Partner): Promise<Finding> {
  try {
    await run(partner);
    return { promise };
  } catch (error) {
    if (!(error instanceof Error && error.name === 'BrokenContractError')) throw error;
    return { promise, broken: { fault: error.message, advice } };
  }
}
