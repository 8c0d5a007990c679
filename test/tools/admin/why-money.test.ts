import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RewardTransaction } from '../../../shared/domain/ledger/reward-transaction.ts';
import { connectAccounts, ingest, paymentOf, settleAnnounced, stripeText } from '../../support/payment-story.ts';
import { ProgramDesk } from '../../support/program-desk.ts';
import { readBooks } from '../../support/reconcile.ts';
import { newShopper, type Shopper } from '../../support/shoppers.ts';
import { makeWorld, type World } from '../../support/world.ts';
import { commandLineOf } from './command-line.ts';

/** `member why` explains what payment platforms and partners' own programs did to a transaction. */

describe('the command member why, for a payment’s reward,', () => {
  let world: World;
  let admin: ReturnType<typeof commandLineOf>;
  beforeAll(async () => {
    world = await makeWorld();
    admin = commandLineOf(world.table);
    await connectAccounts(world);
  });

  async function settle(...texts: string[]): Promise<void> {
    for (const text of texts) expect(await ingest(world, text)).toEqual([]);
    await settleAnnounced(world);
  }

  /** The events of a payment of $100 that earns 200 points. */
  function paymentBy({ externalId }: Shopper) {
    const id = `pi_${randomUUID()}`;
    const named = { payment_intent: id, currency: 'usd' };
    return {
      id,
      succeeded: stripeText('payment_intent.succeeded', {
        ...{ id, amount: 10_000, amount_received: 10_000, currency: 'usd' },
        metadata: { merchant_external_id: externalId },
      }),
      refunded: (amount: number) =>
        stripeText('refund.created', { ...named, id: 're_1', amount, status: 'succeeded', charge: null }),
      disputed: (type: string, status: string) =>
        stripeText(`charge.dispute.${type}`, { ...named, id: 'dp_1', amount: 10_000, status, charge: `ch_${id}` }),
    };
  }

  async function awardOf(paymentId: string) {
    const { transactionIds } = await paymentOf(world, { paymentId });
    return String(transactionIds[0]);
  }

  it('names the payment and its refund', async () => {
    const payment = paymentBy(await newShopper(world));
    await settle(payment.succeeded, payment.refunded(4_000));
    const award = await awardOf(payment.id);
    const { out } = await admin.read(`member why "${award}"`);
    const { json } = await admin.script(`member why "${award}"`);

    expect(out).toContain('by campaign 1 (Two points for every dollar), version 1');
    expect(out).toContain(`Payment ${payment.id}`);
    expect(out).toContain('Captured: 100.00 USD. 100.00 USD of it may earn');
    expect(out).toContain('Refund re_1 of 40.00 USD was paid out.');
    expect(out).toContain('Refunds and disputes of $40.00 in total, from a payment of $100.00, reversed 80 points');
    expect(out).toContain('Skyline Miles confirmed it on ');
    expect(out).toMatch(/Reversals\n[\s\S]*reversed 80 points +COMPLETED/);
    expect(json.payment.paymentId).toBe(payment.id);
    expect(json.reversals).toMatchObject([{ points: 80, state: 'COMPLETED' }]);
  });

  it('explains what a dispute reversed and restored', async () => {
    const payment = paymentBy(await newShopper(world));
    await settle(payment.succeeded);
    await settle(payment.disputed('funds_withdrawn', 'needs_response'));
    const award = await awardOf(payment.id);
    expect((await admin.read(`member why "${award}"`)).out).toContain(
      'Dispute dp_1 of 100.00 USD took the money from the merchant: it counts like a refund.',
    );
    await settle(payment.disputed('funds_reinstated', 'won'), payment.disputed('closed', 'won'));

    const { json } = await admin.script(`member why "${award}"`);
    expect(json.reversals.map((one: { isRestoration: boolean }) => one.isRestoration)).toEqual([false, true]);
    const [reversal, restoration] = await Promise.all(
      json.reversals.map(({ id }: { id: number }) => admin.read(`member why ${id}`)),
    );
    expect(reversal.out).toContain('A refund or dispute of $100.00 reversed 200 points of transaction');
    expect(restoration.out).toContain(
      'A refund that failed or a dispute that ended gave back $100.00; this restored 200 points of transaction',
    );
    for (const { out } of [reversal, restoration]) expect(out).toContain('Dispute dp_1 of 100.00 USD was won');
  });
});

describe('the command member why, for a partner’s own program,', () => {
  let desk: ProgramDesk;
  let admin: ReturnType<typeof commandLineOf>;
  beforeAll(async () => {
    desk = await ProgramDesk.open();
    admin = commandLineOf(desk.table);
  });
  afterAll(() => desk.close());

  async function why(transaction: RewardTransaction | undefined) {
    const { out } = await admin.read(`member why ${transaction?.id}`);
    return out.slice(out.indexOf('Answer of the program'));
  }

  it('names the reason of a rejection', async () => {
    await desk.server.order({ fault: 'reject', reason: 'the account is closed', times: 1 });
    const [payment] = await desk.pending(await desk.account(), 'redeem');
    await desk.post(payment as RewardTransaction);

    expect(await why(payment)).toMatch(
      /Partner 2 rejected it: the account is closed\.\n +The held points are available again\./,
    );
  });

  it('names failed attempts, the end of their time, and a late confirmation', async () => {
    await desk.server.order({ fault: 'fail_after', call: 'transactions', status: 503 });
    await desk.server.order({ fault: 'fail', call: 'query', status: 503 });
    const [award] = await desk.pending(await desk.account());
    await desk.post(award as RewardTransaction);
    expect(await why(award)).toMatch(
      /Partner 2 has not answered in 1 attempt since .*: status 503\. It may have moved the points or not\.\n +The next attempt is due on /,
    );

    for (let round = 0; round < 3; round += 1) await desk.later(12 * 60 * 60_000);
    expect(await why(award)).toMatch(/Partner 2 gave no answer in \d+ attempts: .*Its time is over\./);
    expect(await why(award)).toContain(`npm run admin -- program retry 2 --transaction ${award?.id}`);

    await desk.server.clearFaults();
    expect((await admin.read(`program retry 2 --transaction ${award?.id}`)).status).toBe(0);
    await desk.relay();
    for (let round = 0; round < 3; round += 1) await desk.later(15 * 60_000);
    expect(await why(award)).toMatch(/Partner 2 confirmed it on .* at attempt \d+\. Its reference is D-/);
    const { transactions } = await readBooks(desk.table);
    expect(transactions.find(({ id }) => id === award?.id)?.state).toBe('COMPLETED');
  });
});
