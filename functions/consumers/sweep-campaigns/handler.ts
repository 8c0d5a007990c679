import { once } from '../../../shared/domain/memoize.ts';
import { sweepCampaigns, sweepCampaignsStores } from '../../../shared/operations/sweep-campaigns.ts';
import { openBus } from '../../../shared/runtime/ports.ts';
import { runtime } from '../../../shared/runtime/runtime.ts';
import { scheduleConsumer } from '../../../shared/runtime/schedule-consumer.ts';

const bus = once(() => openBus(runtime().config));

/** Every hour: publishes a due event for every campaign that is past its time. */
export const handler = scheduleConsumer(sweepCampaignsStores, (deps) => sweepCampaigns({ ...deps, bus: bus() }));
