import { randomBytes } from 'node:crypto';
import { integerIdOf, uuidOf } from '../domain/ids.ts';
import type { TransactionIds } from '../domain/transaction/authenticate.ts';
import { Campaigns } from '../store/campaigns.ts';
import { Clients } from '../store/clients.ts';
import { ConnectSessions } from '../store/connect-sessions.ts';
import { Credentials } from '../store/credentials.ts';
import { Grants } from '../store/grants.ts';
import { Idempotency } from '../store/idempotency.ts';
import { Ledger } from '../store/ledger.ts';
import { Links } from '../store/links.ts';
import { Members } from '../store/members.ts';
import { Orders } from '../store/orders.ts';
import { Organisations } from '../store/organisations.ts';
import { PlatformKeys } from '../store/platform-keys.ts';
import { ProgramAccounts } from '../store/program-accounts.ts';
import { Purchases } from '../store/purchases.ts';
import { Sequences } from '../store/sequences.ts';
import { Subscriptions } from '../store/subscriptions.ts';
import type { TableClient } from '../store/table-client.ts';
import { Templates } from '../store/templates.ts';
import { Transactions } from '../store/transactions.ts';
import { Triggers } from '../store/triggers.ts';
import { openTable } from './clients.ts';
import { type Config, readConfig } from './config.ts';
import { once } from './once.ts';

/** The sources of what a pure core must be handed: time, identifiers, randomness. */
export interface Sources {
  readonly now: () => Date;
  readonly random: (bytes: number) => Uint8Array;
  readonly nextUuid: () => string;
  /** A fresh UUID with the integer that belongs to it. */
  readonly nextIds: () => TransactionIds;
}

/** Everything that handlers work with, made once for each instance of a function. */
export interface Platform extends Sources {
  readonly config: Config;
  readonly table: TableClient;
  readonly campaigns: Campaigns;
  readonly clients: Clients;
  readonly connectSessions: ConnectSessions;
  readonly credentials: Credentials;
  readonly grants: Grants;
  readonly idempotency: Idempotency;
  readonly ledger: Ledger;
  readonly links: Links;
  readonly members: Members;
  readonly orders: Orders;
  readonly organisations: Organisations;
  readonly platformKeys: PlatformKeys;
  readonly programAccounts: ProgramAccounts;
  readonly purchases: Purchases;
  readonly sequences: Sequences;
  readonly subscriptions: Subscriptions;
  readonly templates: Templates;
  readonly transactions: Transactions;
  readonly triggers: Triggers;
}

/** The platform of this process's environment. */
export const platform = once(() => composePlatform(readConfig(process.env)));

/** Opens the table and hands it to the repositories: the one place that does. */
export function composePlatform(config: Config, sources: Sources = systemSources()): Platform {
  const table = openTable(config);
  const members = new Members(table);
  return {
    ...sources,
    config,
    table,
    campaigns: new Campaigns(table),
    clients: new Clients(table),
    connectSessions: new ConnectSessions(table),
    credentials: new Credentials(table),
    grants: new Grants(table),
    idempotency: new Idempotency(table),
    ledger: new Ledger(table),
    links: new Links(table, members),
    members,
    orders: new Orders(table),
    organisations: new Organisations(table),
    platformKeys: new PlatformKeys(table, sources),
    programAccounts: new ProgramAccounts(table, sources.now),
    purchases: new Purchases(table),
    sequences: new Sequences(table),
    subscriptions: new Subscriptions(table),
    templates: new Templates(table),
    transactions: new Transactions(table),
    triggers: new Triggers(table),
  };
}

function systemSources(): Sources {
  const now = () => new Date();
  const nextUuid = () => uuidOf(now(), randomBytes(10));
  const nextIds = () => {
    const uuid = nextUuid();
    const id = integerIdOf(uuid);
    if (id === undefined) throw new RangeError(`${uuid} has no integer id`);
    return { uuid, id };
  };
  return { now, random: randomBytes, nextUuid, nextIds };
}
