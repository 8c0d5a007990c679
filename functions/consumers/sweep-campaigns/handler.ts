import type { Logger } from '@aws-lambda-powertools/logger';
import type { EventBus } from '../../../shared/events/event-bus.ts';
import { openBus } from '../../../shared/runtime/clients.ts';
import { logger } from '../../../shared/runtime/log.ts';
import { once } from '../../../shared/runtime/once.ts';
import { runtime, withStores } from '../../../shared/runtime/runtime.ts';
import { CampaignRecords } from '../../../shared/store/campaign/campaign-records.ts';

export interface Sweeping {
  readonly campaignRecords: Pick<CampaignRecords, 'overdue'>;
  readonly bus: Pick<EventBus, 'publishDue'>;
  readonly now: () => Date;
  readonly log: Logger;
}

const sweeping = once(
  (): Sweeping => ({
    ...withStores(runtime(), { campaignRecords: CampaignRecords }),
    bus: openBus(runtime().config),
    log: logger(),
  }),
);

/** Every hour: campaigns are started and ended whose schedule did not say so. */
export async function handler(): Promise<void> {
  await sweepCampaigns(sweeping());
}

/**
 * Tells the bus of every campaign that is past its time. One whose schedule has just spoken is among them when
 * it was not advanced yet: whoever hears of it twice finds nothing to do the second time.
 *
 * @throws when the bus did not take all of it; the next run finds the rest
 */
export async function sweepCampaigns({ campaignRecords, bus, now, log }: Sweeping): Promise<void> {
  const overdue = await campaignRecords.overdue(now());
  const told = await bus.publishDue(overdue);
  log.info('campaigns.swept', { overdue, told });
  if (told < overdue.length) throw new Error(`the bus heard of ${told} of ${overdue.length} campaigns that are due`);
}
