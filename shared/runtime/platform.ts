import { AuditTrail } from '../store/audit.ts';
import { CampaignRecords } from '../store/campaign-records.ts';
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
import { OrganisationCredentials } from '../store/organisation-credentials.ts';
import { Organisations } from '../store/organisations.ts';
import { PlatformKeys } from '../store/platform-keys.ts';
import { ProgramAccounts } from '../store/program-accounts.ts';
import { Purchases } from '../store/purchases.ts';
import { Sequences } from '../store/sequences.ts';
import { Subscriptions } from '../store/subscriptions.ts';
import { Templates } from '../store/templates.ts';
import { Transactions } from '../store/transactions.ts';
import { Triggers } from '../store/triggers.ts';
import type { Config } from './config.ts';
import { openRuntime, type Runtime, type RuntimeParts, type Stores, withStores } from './runtime.ts';

const everyStore = {
  auditTrail: AuditTrail,
  campaignRecords: CampaignRecords,
  campaigns: Campaigns,
  clients: Clients,
  connectSessions: ConnectSessions,
  credentials: Credentials,
  grants: Grants,
  idempotency: Idempotency,
  ledger: Ledger,
  links: Links,
  members: Members,
  orders: Orders,
  organisationCredentials: OrganisationCredentials,
  organisations: Organisations,
  platformKeys: PlatformKeys,
  programAccounts: ProgramAccounts,
  purchases: Purchases,
  sequences: Sequences,
  subscriptions: Subscriptions,
  templates: Templates,
  transactions: Transactions,
  triggers: Triggers,
};

/** Every repository at once: for operators and tests, who start seldom. Functions name the few that they use. */
export type Platform = Runtime & Stores<typeof everyStore>;

/** The platform of a configuration. */
export function composePlatform(config: Config, parts?: Partial<RuntimeParts>): Platform {
  return withStores(openRuntime(config, parts), everyStore);
}
