import type { Platform } from '../../../shared/runtime/platform.ts';
import { readCampaignFile } from '../campaign-file.ts';
import { provisionCampaign } from '../provision-campaigns.ts';
import { makeDemoWorld } from './world.ts';

/**
 * Makes the world of the demonstration as people find it: with all that a merchant would reward. None of it
 * changes what a purchase of up to $100 earns.
 */
export async function makeShowcase(platform: Platform) {
  const world = await makeDemoWorld(platform);
  const partnership = await platform.campaigns.findPartnership(world.partnership.uuid);
  if (!partnership) throw new Error(`there is no partnership ${world.partnership.uuid}`);
  const made = async (name: string) => {
    const file = await readCampaignFile(new URL(`./${name}.json`, import.meta.url));
    return (await provisionCampaign(platform, partnership, file)).id;
  };
  const campaigns = {
    ...world.campaigns,
    welcome: await made('welcome'),
    referral: await made('referral'),
    signup: await made('signup'),
    cashback: await made('cashback'),
  };
  return { ...world, campaigns };
}
