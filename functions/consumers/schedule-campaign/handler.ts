import { once } from '../../../shared/domain/memoize.ts';
import { scheduleCampaign, scheduleCampaignStores } from '../../../shared/operations/campaign/schedule-campaign.ts';
import { consumer } from '../../../shared/runtime/consumer.ts';
import { openClock } from '../../../shared/runtime/ports.ts';
import { runtime } from '../../../shared/runtime/runtime.ts';
import { consumer as declaration } from './consumer.ts';

const clock = once(() => openClock(runtime().config));

/** Sets the one-time schedules for a campaign's start and end, after these dates changed. */
export const handler = consumer(declaration, scheduleCampaignStores, (event, deps) =>
  scheduleCampaign(event, { ...deps, clock: clock() }),
);
