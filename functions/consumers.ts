import type { Consumer } from '../shared/events/consumer.ts';
import { subscription as advanceCampaign } from './consumers/advance-campaign/subscription.ts';
import { subscription as countSpend } from './consumers/count-spend/subscription.ts';
import { subscription as countTotals } from './consumers/count-totals/subscription.ts';
import { subscription as deliverWebhook } from './consumers/deliver-webhook/subscription.ts';
import { subscription as fanOutEvent } from './consumers/fan-out-event/subscription.ts';
import { subscription as processOrder } from './consumers/process-order/subscription.ts';
import { subscription as processRefund } from './consumers/process-refund/subscription.ts';
import { subscription as processRegistration } from './consumers/process-registration/subscription.ts';
import { subscription as processTrigger } from './consumers/process-trigger/subscription.ts';
import { subscription as relayOutbox } from './consumers/relay-outbox/subscription.ts';
import { subscription as releaseExpired } from './consumers/release-expired/subscription.ts';
import { subscription as scheduleCampaign } from './consumers/schedule-campaign/subscription.ts';
import { subscription as sweepCampaigns } from './consumers/sweep-campaigns/subscription.ts';
import { subscription as syncWithProgram } from './consumers/sync-with-program/subscription.ts';

/** Every function that is not called over HTTP. The stacks and the tests read this list. */
export const consumers: readonly Consumer[] = [
  relayOutbox,
  countTotals,
  countSpend,
  processOrder,
  processTrigger,
  processRegistration,
  processRefund,
  syncWithProgram,
  fanOutEvent,
  deliverWebhook,
  releaseExpired,
  scheduleCampaign,
  advanceCampaign,
  sweepCampaigns,
];
