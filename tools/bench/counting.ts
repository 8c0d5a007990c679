import { setTimeout as sleep } from 'node:timers/promises';
import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, type TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { countingPromise } from '../../shared/contracts/promises.ts';
import type { LedgerEntry } from '../../shared/domain/ledger/ledger-entry.ts';
import { TotalsCounter } from '../../shared/store/ledger/totals.ts';
import { ContentionError, TableClient } from '../../shared/store/table/table-client.ts';
import { tableTimes } from '../scale/table-times.ts';
import { conclude, median, save, table } from './report.ts';

/**
 * The real code writes the counters of one busy campaign to a model of the table. On AWS, conflicts between
 * transactions limit the counting, but DynamoDB Local never reports a conflict. In the model, a transaction locks its
 * items for some time, and other transactions on these items are refused.
 */

/** The number of concurrent invocations: ten shards of the stream with four batches each. */
const readers = 40;
const offeredPerSecond = 1_000;
const seconds = 6;
const rounds = 3;
const batchSize = 100;
/** The pause of a reader after a batch that failed, or when there are no new entries. Lambda pauses about as long. */
const pollMs = 50;

/** `npm run bench counting`: 1,000 ledger entries arrive per second; measures how many of them are counted. */
export async function benchCounting(): Promise<void> {
  const results: Round[] = [];
  for (let round = 0; round < rounds; round += 1) results.push(await runRound());
  const perSecond = Math.round(median(results.map(({ counted }) => counted / seconds)));

  console.log(`${readers} readers, ${offeredPerSecond} entries a second for ${seconds} seconds, one campaign\n`);
  console.log(
    table(
      results.map(({ counted, transactions, refused }, nth) => ({
        round: nth + 1,
        'counted/s': Math.round(counted / seconds),
        transactions,
        refused,
      })),
    ),
  );
  console.log(`\npromised: >= ${countingPromise.entriesPerSecond} a second`);
  await save('counting', { readers, offeredPerSecond, seconds, results });
  const isKept = perSecond >= countingPromise.entriesPerSecond;
  conclude(isKept ? [] : [`counting: ${perSecond} a second, promised ${countingPromise.entriesPerSecond}`]);
}

interface Round {
  readonly counted: number;
  readonly transactions: number;
  readonly refused: number;
}

/** Sends entries to all readers at a steady rate. Each reader counts its entries batch by batch. */
async function runRound(): Promise<Round> {
  const model = new TableModel();
  const counter = new TotalsCounter(new TableClient(model.client(), 'modelled'));
  const startedAt = performance.now();
  let counted = 0;
  // Returns false after a conflict. The reader then counts the batch again, because Lambda would deliver it again.
  const count = (entries: readonly LedgerEntry[]): Promise<boolean> =>
    counter.count(entries, new Date()).then(
      () => true,
      (error) => {
        if (error instanceof ContentionError) return false;
        throw error;
      },
    );
  const read = async (reader: number): Promise<void> => {
    for (let taken = 0; performance.now() < startedAt + seconds * 1_000; ) {
      const arrived = Math.floor((((performance.now() - startedAt) / 1_000) * offeredPerSecond) / readers);
      const size = Math.min(batchSize, arrived - taken);
      const isCounted = size > 0 && (await count(entriesOf(reader, taken, size)));
      if (!isCounted) await sleep(pollMs);
      else if (performance.now() < startedAt + seconds * 1_000) counted += size;
      if (isCounted) taken += size;
    }
  };
  await Promise.all(Array.from({ length: readers }, (_, reader) => read(reader)));
  return { counted, transactions: model.transactions, refused: model.refused };
}

const entriesOf = (reader: number, first: number, count: number): LedgerEntry[] =>
  Array.from({ length: count }, (_, nth) => ({
    userId: reader,
    partnerId: 2,
    campaign: { id: 1, partnershipUuid: 'busy' },
    transactionId: first + nth,
    transactionUuid: `${reader}-${first + nth}`,
    kind: 'EARN',
    points: 10,
    cashbackCents: 0,
    createdAt: '2026-11-21T10:00:00.000Z',
  }));

/** A table that locks the items of running transactions. It stores nothing: every entry of the bench is new. */
class TableModel {
  transactions = 0;
  refused = 0;
  readonly #held = new Set<string>();

  client(): DynamoDBDocumentClient {
    const client: DynamoDBDocumentClient = Object.create(DynamoDBDocumentClient.prototype);
    return Object.assign(client, { send: (command: TransactWriteCommand) => this.#transact(command) });
  }

  async #transact({ input: { TransactItems = [] } }: TransactWriteCommand): Promise<object> {
    const names = TransactItems.map(({ Put, Update }) => JSON.stringify(Update?.Key ?? [Put?.Item?.pk, Put?.Item?.sk]));
    const takesMs = tableTimes.transactionMs(names.length);
    this.transactions += 1;
    const reasons = names.map((name) => ({ Code: this.#held.has(name) ? 'TransactionConflict' : 'None' }));
    if (reasons.some(({ Code }) => Code !== 'None')) {
      this.refused += 1;
      await sleep(takesMs / 2);
      throw new TransactionCanceledException({ $metadata: {}, message: 'conflict', CancellationReasons: reasons });
    }
    for (const name of names) this.#held.add(name);
    await sleep(takesMs);
    for (const name of names) this.#held.delete(name);
    return {};
  }
}
