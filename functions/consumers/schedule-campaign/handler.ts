import { scheduleCampaign, scheduleCampaignStores } from '../../../shared/operations/schedule-campaign.ts';
import { openClock } from '../../../shared/runtime/clients.ts';
import { consumer } from '../../../shared/runtime/consumer.ts';
import { once } from '../../../shared/runtime/once.ts';
import { runtime } from '../../../shared/runtime/runtime.ts';
import { consumer as declaration } from './consumer.ts';

const clock = once(() => openClock(runtime().config));

/** Sets the reminders for the start and the end of a campaign whose schedule changed. */
export const handler = consumer(declaration, scheduleCampaignStores, (event, deps) =>
  scheduleCampaign(event, { ...deps, clock: clock() }),
);
