import type { Consumer } from '../shared/contracts/consumer.ts';
import { consumer as advanceCampaign } from './consumers/advance-campaign/consumer.ts';
import { consumer as claimPayments } from './consumers/claim-payments/consumer.ts';
import { consumer as countChanges } from './consumers/count-changes/consumer.ts';
import { consumer as deliverSlowWebhook } from './consumers/deliver-slow-webhook/consumer.ts';
import { consumer as deliverWebhook } from './consumers/deliver-webhook/consumer.ts';
import { consumer as fanOutEvent } from './consumers/fan-out-event/consumer.ts';
import { consumer as finishRevocation } from './consumers/finish-revocation/consumer.ts';
import { consumer as indexMember } from './consumers/index-member/consumer.ts';
import { consumer as ingestPayment } from './consumers/ingest-payment/consumer.ts';
import { consumer as measureBacklogs } from './consumers/measure-backlogs/consumer.ts';
import { consumer as postToProgram } from './consumers/post-to-program/consumer.ts';
import { consumer as processRegistration } from './consumers/process-registration/consumer.ts';
import { consumer as processTrigger } from './consumers/process-trigger/consumer.ts';
import { consumer as reconcileDaily } from './consumers/reconcile-daily/consumer.ts';
import { consumer as relayOutbox } from './consumers/relay-outbox/consumer.ts';
import { consumer as releaseExpired } from './consumers/release-expired/consumer.ts';
import { consumer as resumeEndpoint } from './consumers/resume-endpoint/consumer.ts';
import { consumer as retryPostings } from './consumers/retry-postings/consumer.ts';
import { consumer as scheduleCampaign } from './consumers/schedule-campaign/consumer.ts';
import { consumer as settlePurchase } from './consumers/settle-purchase/consumer.ts';
import { consumer as sweepCampaigns } from './consumers/sweep-campaigns/consumer.ts';
import { consumer as sweepEndpoints } from './consumers/sweep-endpoints/consumer.ts';
import { consumer as syncWithProgram } from './consumers/sync-with-program/consumer.ts';
import { consumer as syntheticPurchase } from './consumers/synthetic-purchase/consumer.ts';

/** Every function that is not called over HTTP. The stacks and the tests read this list. */
export const consumers: readonly Consumer[] = [
  relayOutbox,
  countChanges,
  settlePurchase,
  processTrigger,
  processRegistration,
  ingestPayment,
  claimPayments,
  indexMember,
  syncWithProgram,
  postToProgram,
  retryPostings,
  fanOutEvent,
  deliverWebhook,
  deliverSlowWebhook,
  resumeEndpoint,
  sweepEndpoints,
  releaseExpired,
  finishRevocation,
  scheduleCampaign,
  advanceCampaign,
  sweepCampaigns,
  measureBacklogs,
  reconcileDaily,
  syntheticPurchase,
];
