import type { CampaignSettings } from '../../shared/domain/campaign/validate.ts';
import type { Partnership } from '../../shared/domain/partnership.ts';
import type { Platform } from '../../shared/runtime/platform.ts';
import { allOrganisations } from '../find/organisations.ts';

/**
 * What has to be known of a partnership to tell what is wrong with a campaign of it.
 *
 * @param type of the campaign, as far as it is understood: only transfers name other programs
 */
export async function settingsOf(
  platform: Platform,
  { uuid, allowsCashback, partnerId }: Partnership,
  type: unknown,
): Promise<CampaignSettings> {
  const [triggers, organisations] = await Promise.all([
    platform.triggers.of(uuid),
    type === 'TRANSFER' ? allOrganisations(platform) : [],
  ]);
  const partners = organisations.filter(({ kind }) => kind === 'PARTNER').map(({ id }) => id);
  return { allowsCashback, partnerId, programs: new Set([partnerId, ...partners]), triggers };
}
