import { localAccount } from '../../../local/account.ts';
import { createPlatformClock } from '../../../local/clock/platform-clock.ts';
import { startSqs } from '../../../local/sqs/sqs.ts';
import { serve } from '../child-process.ts';

const api = {
  /** Starts SQS without queues. Returns its endpoint. */
  start: async (): Promise<string> =>
    (await startSqs({ account: localAccount, clock: createPlatformClock() })).endpoint,
};

/** The functions of the process that emulates SQS. */
export type QueueApi = typeof api;

serve(api);
