import type { Partnership } from '../../../shared/domain/partnership.ts';
import { isTimeZone } from '../../../shared/domain/period.ts';
import type { Platform } from '../../../shared/runtime/platform.ts';
import { partnershipWrite } from '../../../shared/store/campaign/campaigns.ts';
import { OperatorError } from '../cli/errors.ts';
import type { Change } from './change.ts';

/** What a partnership begins with. */
export type NewPartnership = Pick<Partnership, 'name' | 'description' | 'merchantId' | 'partnerId'> &
  Partial<Pick<Partnership, 'timeZone' | 'allowsCashback' | 'reversalPolicy'>>;

/**
 * Makes an active partnership between a merchant and a partner. Unless said: New York's days, no cashback, and
 * refunds that take back no more than the member has.
 *
 * @throws OperatorError when its days would be those of no time zone: no campaign of it could be evaluated
 */
export function newPartnership(platform: Platform, wanted: NewPartnership): Change<Partnership> {
  const partnership: Partnership = {
    timeZone: 'America/New_York',
    allowsCashback: false,
    reversalPolicy: 'within_balance',
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
  if (!isTimeZone(partnership.timeZone)) {
    throw new OperatorError(`there is no time zone ${partnership.timeZone}: it is one such as America/New_York`);
  }
  return { made: partnership, writes: [partnershipWrite(partnership)] };
}
