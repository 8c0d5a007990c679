import type { Partnership } from '../../shared/domain/partnership.ts';
import type { Platform } from '../../shared/runtime/platform.ts';
import { partnershipWrite } from '../../shared/store/campaigns.ts';
import type { Change } from './change.ts';

/** What a partnership begins with. */
export type NewPartnership = Pick<Partnership, 'name' | 'description' | 'merchantId' | 'partnerId'> &
  Partial<Pick<Partnership, 'timeZone' | 'allowsCashback'>>;

/** Makes an active partnership between a merchant and a partner: New York's days, and no cashback, unless said. */
export function newPartnership(platform: Platform, wanted: NewPartnership): Change<Partnership> {
  const partnership: Partnership = {
    timeZone: 'America/New_York',
    allowsCashback: false,
    ...wanted,
    uuid: platform.nextUuid(),
    imageUrl: null,
    relatedPartnerId: null,
    ownerId: wanted.merchantId,
    isActive: true,
    isDeleted: false,
    isDemo: platform.config.stage !== 'production',
    createdAt: platform.now().toISOString(),
  };
  return { made: partnership, writes: [partnershipWrite(partnership)] };
}
