import type { Consumer } from '../shared/contracts/consumer.ts';
import { subscription as advanceCampaign } from './consumers/advance-campaign/consumer.ts';
import { subscription as countSpend } from './consumers/count-spend/consumer.ts';
import { subscription as countTotals } from './consumers/count-totals/consumer.ts';
import { subscription as deliverWebhook } from './consumers/deliver-webhook/consumer.ts';
import { subscription as fanOutEvent } from './consumers/fan-out-event/consumer.ts';
import { subscription as processOrder } from './consumers/process-order/consumer.ts';
import { subscription as processRefund } from './consumers/process-refund/consumer.ts';
import { subscription as processRegistration } from './consumers/process-registration/consumer.ts';
import { subscription as processTrigger } from './consumers/process-trigger/consumer.ts';
import { subscription as relayOutbox } from './consumers/relay-outbox/consumer.ts';
import { subscription as releaseExpired } from './consumers/release-expired/consumer.ts';
import { subscription as scheduleCampaign } from './consumers/schedule-campaign/consumer.ts';
import { subscription as sweepCampaigns } from './consumers/sweep-campaigns/consumer.ts';
import { subscription as syncWithProgram } from './consumers/sync-with-program/consumer.ts';

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
