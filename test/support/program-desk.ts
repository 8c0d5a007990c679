import type { ProgramTask } from '../../shared/contracts/events.ts';
import type { RewardTransaction } from '../../shared/domain/ledger/reward-transaction.ts';
import { findMismatches, mismatchText } from '../../shared/domain/reconciliation/invariants.ts';
import { type PostDeps, runProgramTask } from '../../shared/operations/posting/post-to-program.ts';
import { retryPostings } from '../../shared/operations/posting/retry-postings.ts';
import { syncWithProgram } from '../../shared/operations/posting/sync-with-program.ts';
import { ProgramSecrets } from '../../shared/programs/programs.ts';
import { SecretsManager } from '../../shared/programs/secrets-manager.ts';
import { composePlatform, type Platform } from '../../shared/runtime/platform.ts';
import { organisationWrite } from '../../shared/store/organisation/organisations.ts';
import { createSecretsServer } from '../../tools/local/secrets/server.ts';
import { Account, type CampaignName } from '../store/account.ts';
import { countStream } from './count-stream.ts';
import { outboxEvents } from './outbox.ts';
import { aProgram, type TestProgram } from './program-server.ts';
import { readBooks } from './reconcile.ts';
import { makeTestTable, type TestTable } from './test-table.ts';

/** The partners of the test accounts (test/store/account.ts). */
export const partnerIds = { first: 2, second: 3 } as const;

/** The internal events about existing transactions. */
const relayed = ['posting_due', 'balance_reported', 'settlement_written'];

interface QueuedTask {
  readonly task: ProgramTask;
  readonly visibleMs: number;
}

/** A table whose partners run their own programs, with a queue, a clock, and the workers that post to the programs. */
export class ProgramDesk {
  readonly table: TestTable;
  readonly platform: Platform;
  /** The program of the first partner. */
  readonly server: TestProgram;
  /** The program of the second partner, for transfers. */
  readonly other: TestProgram;
  readonly secrets: ProgramSecrets;
  readonly queued: QueuedTask[] = [];
  readonly logged: { readonly message: string; readonly data: Readonly<Record<string, unknown>> }[] = [];
  /** The random number that decides the jitter of pauses. */
  random = 0.5;
  /** How far the workers' clock is ahead of the real clock. Programs see the real clock. */
  aheadMs = 0;
  readonly #close: () => Promise<unknown>;
  #orders = 0;
  readonly #handled = new Set<string>();

  private constructor(
    parts: Pick<ProgramDesk, 'table' | 'platform' | 'server' | 'other' | 'secrets'>,
    close: () => Promise<unknown>,
  ) {
    this.table = parts.table;
    this.platform = parts.platform;
    this.server = parts.server;
    this.other = parts.other;
    this.secrets = parts.secrets;
    this.#close = close;
  }

  static async open(): Promise<ProgramDesk> {
    const [table, server, other] = await Promise.all([makeTestTable(), aProgram(), aProgram()]);
    const secretsServer = createSecretsServer();
    const secretsEndpoint = await secretsServer.listen();
    // The clients of the SDK read credentials and region from the environment.
    Object.assign(process.env, {
      AWS_REGION: 'us-east-1',
      AWS_ACCESS_KEY_ID: 'test',
      AWS_SECRET_ACCESS_KEY: 'test',
    });
    const platform = composePlatform(
      {
        stage: 'local',
        tableName: table.name,
        webhookHttpHosts: ['127.0.0.1'],
        baseUrl: 'http://127.0.0.1',
        busName: undefined,
        queueUrls: {},
        secretsEndpoint,
        parametersEndpoint: undefined,
        issuerEndpoint: undefined,
        clock: { groupName: undefined, roleArn: undefined, targetArn: undefined, deadLetterArn: undefined },
      },
      { table: table.client },
    );
    const settings = {
      region: async () => 'us-east-1',
      credentials: async () => ({ accessKeyId: 'test', secretAccessKey: 'test' }),
    };
    const secrets = new ProgramSecrets(new SecretsManager(settings, secretsEndpoint, platform.now), 'local');
    const programs = [
      [partnerIds.first, server],
      [partnerIds.second, other],
    ] as const;
    for (const [id, { url, secret }] of programs) {
      await table.client.write(organisationWrite(aPartner(id, { kind: 'http', baseUrl: url })));
      await secrets.write(id, [secret]);
    }
    return new ProgramDesk({ table, platform, server, other, secrets }, () =>
      Promise.all([server.close(), other.close(), secretsServer.close()]),
    );
  }

  close(): Promise<unknown> {
    return this.#close();
  }

  /** Makes the platform host the program of a partner. */
  async host(partnerId: number): Promise<void> {
    await this.table.client.write(organisationWrite(aPartner(partnerId, { kind: 'hosted' })));
  }

  /** Gives the first partner its own program again. */
  async ownAgain(): Promise<void> {
    await this.table.client.write(
      organisationWrite(aPartner(partnerIds.first, { kind: 'http', baseUrl: this.server.url })),
    );
  }

  now = (): Date => new Date(Date.now() + this.aheadMs);

  get deps(): PostDeps {
    const log = (message: string, data: Readonly<Record<string, unknown>>) => void this.logged.push({ message, data });
    return {
      ...this.platform,
      now: this.now,
      log: { info: log, warn: log, error: log },
      randomShare: () => this.random,
      queue: {
        send: async (tasks, delaySeconds = 0) => {
          const visibleMs = this.now().getTime() + delaySeconds * 1000;
          this.queued.push(...tasks.map((task) => ({ task, visibleMs })));
        },
      },
    };
  }

  /** A member with an account in both programs. The first program and the platform have the same balance. */
  async account(points = 1_000): Promise<Account> {
    const account = await Account.open(this.table, points);
    const member_id = `SKY-${account.member.user.id}`;
    await this.server.open({ member_id, balance: points });
    await this.other.open({ member_id });
    return account;
  }

  /** The balance of an account in the first program. */
  balanceAt(account: Account): Promise<number | undefined> {
    return this.server.balanceOf(`SKY-${account.member.user.id}`);
  }

  /** Makes a pending transaction, or both legs of a pending transfer. */
  async pending(account: Account, campaign: CampaignName = 'earn', points = 100): Promise<RewardTransaction[]> {
    this.#orders += 1;
    return account.pending({ campaign, externalTransactionId: `order-${this.#orders}`, points });
  }

  async found({ id }: Pick<RewardTransaction, 'id'>): Promise<RewardTransaction> {
    const transaction = await this.platform.transactions.find(id);
    if (!transaction) throw new Error(`there is no transaction ${id}`);
    return transaction;
  }

  /** Handles the event of a new transaction, as the bus delivers it. */
  async sync({ uuid, merchantId, partnerId }: RewardTransaction, deps = this.deps): Promise<void> {
    const occurredAt = this.now().toISOString();
    const event = { id: `event-of-${uuid}`, name: 'transaction_created', entityId: uuid, occurredAt } as const;
    await syncWithProgram({ ...event, merchantId, partnerId }, deps, () => deps.queue);
  }

  /** Handles the internal events in the table that were not handled yet. */
  async relay(): Promise<void> {
    for (const event of await outboxEvents(this)) {
      if (!relayed.includes(event.name) || this.#handled.has(event.id)) continue;
      this.#handled.add(event.id);
      await syncWithProgram(event, this.deps, () => this.deps.queue);
    }
  }

  /** Handles the visible messages of the queue, and also the new messages that are visible immediately. */
  async work(deps = this.deps): Promise<void> {
    for (;;) {
      const position = this.queued.findIndex(({ visibleMs }) => visibleMs <= this.now().getTime());
      const [next] = position === -1 ? [] : this.queued.splice(position, 1);
      if (!next) return;
      await runProgramTask(next.task, deps);
    }
  }

  /** Moves the clock, runs the sweep of every minute, and handles the work that is due. */
  async later(milliseconds: number, deps = this.deps): Promise<void> {
    this.aheadMs += milliseconds;
    await retryPostings(deps);
    await this.work(deps);
  }

  /** Posts a transaction once. */
  async post(transaction: RewardTransaction): Promise<void> {
    await this.sync(transaction);
    await this.work();
  }

  /** The violated invariants of the table, after the consumer of the stream has counted every purchase. */
  async mismatches(): Promise<string[]> {
    await countStream(this);
    return findMismatches(await readBooks(this.table), this.now()).map(mismatchText);
  }
}

const aPartner = (id: number, program: { kind: 'hosted' } | { kind: 'http'; baseUrl: string }) =>
  ({
    id,
    name: `Partner ${id}`,
    kind: 'PARTNER',
    program,
    redirectUris: [],
    createdAt: '2026-01-01T00:00:00.000Z',
  }) as const satisfies Parameters<typeof organisationWrite>[0];
