import { once } from '../../../shared/domain/memoize.ts';
import { sweepCampaigns, sweepCampaignsStores } from '../../../shared/operations/campaign/sweep-campaigns.ts';
import { scheduleConsumer } from '../../../shared/runtime/consumer.ts';
import { openBus } from '../../../shared/runtime/ports.ts';
import { runtime } from '../../../shared/runtime/runtime.ts';

const bus = once(() => openBus(runtime().config));

/**
 * Every hour: publishes `campaign_due` for every campaign whose start or end has passed, in case its schedule was lost.
 */
export const handler = scheduleConsumer(sweepCampaignsStores, (deps) => sweepCampaigns({ ...deps, bus: bus() }));
