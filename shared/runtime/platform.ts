import type { Stores } from '../operations/operation.ts';
import { Programs } from '../programs/programs.ts';
import { AwardClaims } from '../store/award/claims.ts';
import { RefusedAttempts } from '../store/award/refused-attempts.ts';
import { CampaignRecords } from '../store/campaign/campaign-records.ts';
import { Campaigns } from '../store/campaign/campaigns.ts';
import { Partnerships } from '../store/campaign/partnerships.ts';
import { Templates } from '../store/campaign/templates.ts';
import { ConnectSessions, Links } from '../store/connect/connect.ts';
import { ProofCounters } from '../store/connect/proof-counters.ts';
import { Credentials } from '../store/credential/credentials.ts';
import { Grants } from '../store/credential/grants.ts';
import { Idempotency } from '../store/credential/idempotency.ts';
import { Ledger } from '../store/ledger/ledger.ts';
import { ManualAdjustments } from '../store/ledger/manual-adjustments.ts';
import { Payouts } from '../store/ledger/payouts.ts';
import { Postings } from '../store/ledger/postings.ts';
import { Reversals } from '../store/ledger/reversals.ts';
import { Transactions } from '../store/ledger/transactions.ts';
import { VelocityCounters } from '../store/ledger/velocity-counters.ts';
import { MemberIndex } from '../store/member/member-index.ts';
import { Members } from '../store/member/members.ts';
import { ProgramAccounts } from '../store/member/program-accounts.ts';
import { SpendCounter } from '../store/member/spend.ts';
import { Orders } from '../store/order/orders.ts';
import { Refunds } from '../store/order/refunds.ts';
import { AuditTrail } from '../store/organisation/audit.ts';
import { Clients } from '../store/organisation/clients.ts';
import { OrganisationCredentials } from '../store/organisation/organisation-credentials.ts';
import { Organisations } from '../store/organisation/organisations.ts';
import { PlatformKeys } from '../store/organisation/platform-keys.ts';
import { ProgramHealths } from '../store/organisation/program-healths.ts';
import { Registries } from '../store/organisation/registries.ts';
import { Sequences } from '../store/organisation/sequences.ts';
import { PaymentAccounts, PaymentCustomers } from '../store/payment/payment-customers.ts';
import { PaymentReceipts, Payments } from '../store/payment/payments.ts';
import { Invitations } from '../store/staff/invitations.ts';
import { OrganisationAudit } from '../store/staff/organisation-audit.ts';
import { People } from '../store/staff/people.ts';
import { Sessions } from '../store/staff/sessions.ts';
import { SettingsStore } from '../store/staff/settings.ts';
import { TriggerEvents } from '../store/trigger/trigger-events.ts';
import { Triggers } from '../store/trigger/triggers.ts';
import { Deliveries } from '../store/webhook/deliveries.ts';
import { Replays } from '../store/webhook/replays.ts';
import { Subscriptions } from '../store/webhook/subscriptions.ts';
import type { Config } from './runtime.ts';
import { openRuntime, type Runtime, type RuntimeParts, withStores } from './runtime.ts';

const everyStore = {
  adjustments: ManualAdjustments,
  auditTrail: AuditTrail,
  campaignRecords: CampaignRecords,
  campaigns: Campaigns,
  clients: Clients,
  connectSessions: ConnectSessions,
  credentials: Credentials,
  deliveries: Deliveries,
  grants: Grants,
  idempotency: Idempotency,
  invitations: Invitations,
  ledger: Ledger,
  links: Links,
  memberIndex: MemberIndex,
  members: Members,
  orders: Orders,
  organisationAudit: OrganisationAudit,
  organisationCredentials: OrganisationCredentials,
  organisations: Organisations,
  partnerships: Partnerships,
  payments: Payments,
  payouts: Payouts,
  paymentAccounts: PaymentAccounts,
  paymentCustomers: PaymentCustomers,
  paymentReceipts: PaymentReceipts,
  people: People,
  platformKeys: PlatformKeys,
  postings: Postings,
  programAccounts: ProgramAccounts,
  programHealths: ProgramHealths,
  programs: Programs,
  proofCounters: ProofCounters,
  claims: AwardClaims,
  refusedAttempts: RefusedAttempts,
  refunds: Refunds,
  registries: Registries,
  replays: Replays,
  reversals: Reversals,
  sequences: Sequences,
  sessions: Sessions,
  settings: SettingsStore,
  spend: SpendCounter,
  subscriptions: Subscriptions,
  templates: Templates,
  transactions: Transactions,
  velocityCounters: VelocityCounters,
  triggerEvents: TriggerEvents,
  triggers: Triggers,
};

/** All repositories, for operators and tests. A function names only the few that it uses, so that it starts fast. */
export type Platform = Runtime & Stores<typeof everyStore>;

/** The platform of a configuration. */
export function composePlatform(config: Config, parts?: Partial<RuntimeParts>): Platform {
  return withStores(openRuntime(config, parts), everyStore);
}
