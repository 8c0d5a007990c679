import { Campaigns } from '../store/campaigns.ts';
import { Clients } from '../store/clients.ts';
import { Credentials } from '../store/credentials.ts';
import { Idempotency } from '../store/idempotency.ts';
import { Ledger } from '../store/ledger.ts';
import { Members } from '../store/members.ts';
import { Organisations } from '../store/organisations.ts';
import { Purchases } from '../store/purchases.ts';
import { Sequences } from '../store/sequences.ts';
import { Subscriptions } from '../store/subscriptions.ts';
import { Transactions } from '../store/transactions.ts';
import type { Config } from './config.ts';
import { openRuntime, type Runtime, type Sources, type Stores, withStores } from './runtime.ts';

const everyStore = {
  campaigns: Campaigns,
  clients: Clients,
  credentials: Credentials,
  idempotency: Idempotency,
  ledger: Ledger,
  members: Members,
  organisations: Organisations,
  purchases: Purchases,
  sequences: Sequences,
  subscriptions: Subscriptions,
  transactions: Transactions,
};

/** Every repository at once: for operators and tests, who start seldom. Functions name the few that they use. */
export type Platform = Runtime & Stores<typeof everyStore>;

/** The platform of a configuration. */
export function composePlatform(config: Config, sources?: Sources): Platform {
  return withStores(openRuntime(config, sources), everyStore);
}
