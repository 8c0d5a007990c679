import type { EventBus } from '../../events/event-bus.ts';
import { CampaignRecords } from '../../store/campaign/campaign-records.ts';
import type { Deps } from '../operation.ts';

export const sweepCampaignsStores = { campaignRecords: CampaignRecords };

interface SweepDeps extends Pick<Deps, 'log' | 'now'> {
  readonly campaignRecords: Pick<CampaignRecords, 'overdue'>;
  readonly bus: Pick<EventBus, 'publishDue'>;
}

/**
 * Publishes a due event for every campaign whose start or end has passed, in case its schedule was lost. If the
 * schedule of a campaign fired a moment ago, the campaign gets a second due event, which has no effect.
 *
 * @throws Error when the bus did not accept all events; the next run publishes the rest
 */
export async function sweepCampaigns({ campaignRecords, bus, now, log }: SweepDeps): Promise<void> {
  const overdue = await campaignRecords.overdue(now());
  const published = await bus.publishDue(overdue);
  log.info('campaigns.swept', { overdue, published });
  if (published < overdue.length) {
    throw new Error(`the bus took ${published} of ${overdue.length} due events`);
  }
}
