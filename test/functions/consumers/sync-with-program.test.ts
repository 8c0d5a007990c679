import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { handler } from '../../../functions/consumers/sync-with-program/handler.ts';
import type { PlatformEvent } from '../../../shared/contracts/events.ts';
import type { RewardTransaction } from '../../../shared/domain/ledger/reward-transaction.ts';
import { syncAllWithPrograms, syncWithProgram } from '../../../shared/operations/posting/sync-with-program.ts';
import { Transactions } from '../../../shared/store/ledger/transactions.ts';
import { organisationWrite } from '../../../shared/store/organisation/organisations.ts';
import { TableClient } from '../../../shared/store/table/table-client.ts';
import { Account, type CampaignName } from '../../store/account.ts';
import { aContext } from '../../support/call.ts';
import { reconcile } from '../../support/reconcile.ts';
import { sqsEvent } from '../../support/test-queue.ts';
import { makeWorld, type World } from '../../support/world.ts';

let world: World;
let account: Account;
let orders = 0;
beforeAll(async () => {
  world = await makeWorld();
});
beforeEach(async () => {
  account = await Account.open(world.table, 1_000);
});

async function aPending(campaign: CampaignName): Promise<RewardTransaction> {
  orders += 1;
  const [transaction] = await account.pending({ campaign, externalTransactionId: `order-${orders}`, points: 100 });
  return transaction as RewardTransaction;
}

function created({ uuid, merchantId, partnerId }: RewardTransaction, more: Partial<PlatformEvent> = {}): PlatformEvent {
  const occurredAt = '2026-03-08T12:00:00.000Z';
  return {
    id: `event-of-${uuid}`,
    name: 'transaction_created',
    entityId: uuid,
    occurredAt,
    merchantId,
    partnerId,
    ...more,
  };
}

const deliver = (details: unknown[]) => handler(sqsEvent(...details.map((detail) => ({ detail }))), aContext);
const stateOf = async ({ id }: RewardTransaction) => (await world.platform.transactions.find(id))?.state;

describe('a created transaction', () => {
  it('is confirmed at once when its program is hosted', async () => {
    const [earned, paid] = [await aPending('earn'), await aPending('redeem')];

    expect(await deliver([created(earned), created(paid)])).toEqual({ batchItemFailures: [] });

    expect([await stateOf(earned), await stateOf(paid)]).toEqual(['COMPLETED', 'COMPLETED']);
    expect(await account.balance()).toEqual({ availablePoints: 1_000, heldPoints: 0 });
  });

  it('is counted once when messages are repeated and parallel', async () => {
    const transaction = await aPending('earn');
    const again = () => syncWithProgram(created(transaction), world.platform);

    await again();
    await Promise.all(Array.from({ length: 10 }, again));

    expect(await account.balance()).toEqual({ availablePoints: 1_100, heldPoints: 0 });
    expect(await reconcile(world.table)).toEqual([]);
  });

  it('stays unchanged when it is not pending', async () => {
    const reserved = await account.reserve({ campaign: 'redeem', externalTransactionId: 'reserved only', points: 100 });
    const initiated = (await world.platform.transactions.find(reserved.rewards[0]?.id ?? 0)) as RewardTransaction;
    const failed = await aPending('redeem');
    await account.fail(failed, 'rejected');

    await syncWithProgram(created(initiated), world.platform);
    await syncWithProgram(created(failed), world.platform);

    expect([await stateOf(initiated), await stateOf(failed)]).toEqual(['INITIATED', 'FAILED']);
    expect(await account.balance()).toEqual({ availablePoints: 900, heldPoints: 100 });
  });
});

describe('the transactions of a batch', () => {
  const balance = () => account.balance();

  it('are recorded in one write for each member', async () => {
    const writes: number[] = [];
    class CountedTable extends TableClient {
      override transact(...parts: Parameters<TableClient['transact']>): Promise<void> {
        writes.push(parts[0].length);
        return super.transact(...parts);
      }
    }
    const table = new CountedTable(world.table.documents, world.table.name);
    const other = await Account.open(world.table, 0);
    const mine = [await aPending('earn'), await aPending('redeem'), await aPending('earn')];
    const [theirs] = await other.pending({ campaign: 'earn', externalTransactionId: 'of another member', points: 70 });
    const events = [...mine, theirs as RewardTransaction].map((transaction) => created(transaction));
    const deps = { ...world.platform, table, transactions: new Transactions(table) };

    expect(await syncAllWithPrograms(events, deps)).toEqual([undefined, undefined, undefined, undefined]);

    expect(await balance()).toEqual({ availablePoints: 1_100, heldPoints: 0 });
    expect(await other.balance()).toEqual({ availablePoints: 70, heldPoints: 0 });
    // Two items for each transaction: itself and its ledger entry. Two items for each member: account and association.
    // One event announces the redemption like a refund: rewards for the amount that points paid have to be reversed.
    expect(writes.toSorted((one, next) => one - next)).toEqual([4, 9]);
  });
});

describe('a message is retried alone', () => {
  it('when its transaction is unknown', async () => {
    const transaction = await aPending('earn');
    const unknown = created(transaction, { entityId: world.platform.nextUuid() });

    const event = sqsEvent({ detail: unknown }, { detail: created(transaction) });
    const { batchItemFailures } = await handler(event, aContext);

    expect(batchItemFailures).toEqual([{ itemIdentifier: event.Records[0]?.messageId }]);
    expect(await stateOf(transaction)).toBe('COMPLETED');
  });

  it.each([
    ['an id that is not a UUID', { entityId: 'transaction-1' }],
    ['no id', { entityId: undefined }],
    ['an unknown event', { name: 'transaction_deleted' }],
  ])('when it contains %s', async (_case, fault) => {
    const event = { ...created(await aPending('earn')), ...fault };

    expect((await deliver([event])).batchItemFailures).toHaveLength(1);
  });

  it('when its UUID is wrong but leads to a known integer id', async () => {
    const transaction = await aPending('earn');
    // This UUID leads to the same integer id: the id is derived from a UUID without its last twelve digits.
    const forged = created(transaction, { entityId: `${transaction.uuid.slice(0, -12)}000000000000` });

    await expect(syncWithProgram(forged, world.platform)).rejects.toThrow('there is no transaction');
    expect(await stateOf(transaction)).toBe('PENDING');
  });

  it('until the partner has a program', async () => {
    const transaction = await aPending('redeem');
    const partner = await world.platform.organisations.find(transaction.partnerId);
    if (!partner) throw new Error('the partner of the fixtures is not in the world');
    await world.table.client.write(organisationWrite({ ...partner, program: null }));

    await expect(syncWithProgram(created(transaction), world.platform)).rejects.toThrow('has no loyalty program');
    expect(await stateOf(transaction)).toBe('PENDING');

    await world.table.client.write(organisationWrite(partner));
    await syncWithProgram(created(transaction), world.platform);
    expect(await stateOf(transaction)).toBe('COMPLETED');
  });
});
