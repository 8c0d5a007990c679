import type { CampaignSettings } from '../../../shared/domain/campaign/document/kinds/fault.ts';
import type { Partnership } from '../../../shared/domain/partnership.ts';
import type { Platform } from '../../../shared/runtime/platform.ts';

/**
 * What has to be known of a partnership to tell what is wrong with a campaign of it.
 *
 * @param type of the campaign, as far as it is understood: only transfers name other programs
 */
export async function settingsOf(
  platform: Platform,
  { uuid, allowsCashback, merchantId, partnerId }: Partnership,
  type: unknown,
): Promise<CampaignSettings> {
  const [triggers, partnerships] = await Promise.all([
    platform.triggers.of(uuid),
    type === 'TRANSFER' ? platform.campaigns.partnershipsOf('byMerchant', merchantId) : [],
  ]);
  return {
    allowsCashback,
    partnerId,
    programs: new Set([partnerId, ...partnerships.map((one) => one.partnerId)]),
    triggers,
  };
}
