import { afterAll, beforeAll, expect, it } from 'vitest';
import type { RewardTransaction } from '../../shared/domain/ledger/reward-transaction.ts';
import { reverseByOperator } from '../../shared/operations/ledger/manage-transactions.ts';
import { type Finalizing, finalizeTransactions } from '../../shared/operations/posting/finalize-transactions.ts';
import { partnershipWrite } from '../../shared/store/campaign/partnerships.ts';
import { Transactions } from '../../shared/store/ledger/transactions.ts';
import type { TableClient } from '../../shared/store/table/table-client.ts';
import { aPartnership, noon } from '../domain/fixtures.ts';
import { reconcile } from '../support/reconcile.ts';
import { makeWorld, type World, withSources } from '../support/world.ts';
import { Account } from './account.ts';

/** The two rewards of one event share a charge. It returns when both have ended, whichever ends last. */

let world: World;
beforeAll(async () => {
  world = await makeWorld();
  await world.table.client.write(partnershipWrite(aPartnership()));
});
afterAll(async () => expect(await reconcile(world.table)).toEqual([]));

/** The repository of transactions. Once, right after it has read the transaction `id`, it calls `interrupt`. */
class InterruptedTransactions extends Transactions {
  readonly #id: number;
  #interrupt: (() => Promise<unknown>) | undefined;

  constructor(client: TableClient, id: number, interrupt: () => Promise<unknown>) {
    super(client);
    this.#id = id;
    this.#interrupt = interrupt;
  }

  override async find(id: number): Promise<RewardTransaction | undefined> {
    const found = await super.find(id);
    const interrupt = id === this.#id ? this.#interrupt : undefined;
    if (interrupt) this.#interrupt = undefined;
    await interrupt?.();
    return found;
  }
}

it.each(['the rejected reward', 'the reversal'] as const)(
  'the charge of an event returns once when both of its rewards end together, %s last',
  async (slower) => {
    const account = await Account.open(world.table, 0);
    const order = { campaign: 'pointsAndCashback', externalTransactionId: slower, points: 100 } as const;
    const [point, cents] = (await account.pending(order)) as [RewardTransaction, RewardTransaction];
    await account.complete(cents);
    const platform = withSources(world, { now: () => noon });
    const legs = await reverseByOperator({ id: String(cents.id), reason: 'a complaint' }, platform);
    const rejection = { kind: 'rejected', rejectedId: point.id, reason: 'not now' } as const;
    const reject = (deps: Finalizing) => finalizeTransactions({ legs: [point], answer: rejection }, deps);
    const confirm = (deps: Finalizing) =>
      finalizeTransactions({ legs, answer: { kind: 'confirmed', references: [] } }, deps);

    const [first, second] = slower === 'the reversal' ? [reject, confirm] : [confirm, reject];
    const transactions = new InterruptedTransactions(platform.table, cents.id, () => first(platform));
    await second({ ...platform, transactions });

    const { usage = [] } = (await account.members.find(account.member.user.id)) ?? {};
    expect(usage.map(({ used }) => used)).toEqual([0]);
    const ended = await Promise.all([point, cents].map(({ id }) => account.transactions.find(id)));
    expect(ended).toMatchObject([{ state: 'FAILED' }, { state: 'REVERSED' }]);
  },
);
