import type { Partnership } from '../../../shared/domain/partnership.ts';
import type { Platform } from '../../../shared/runtime/platform.ts';
import { table } from '../cli/text.ts';
import { organisationNames } from '../find/organisations.ts';

/** A partnership for scripts. */
export function partnershipView(partnership: Partnership) {
  const { uuid, name, description, merchantId, partnerId, isActive, isDeleted, isDemo } = partnership;
  const { timeZone, allowsCashback, reversalPolicy, createdAt } = partnership;
  return {
    ...{ uuid, name, description, merchantId, partnerId, isActive, isDeleted, isDemo },
    ...{ timeZone, allowsCashback, reversalPolicy, createdAt },
  };
}

/** Partnerships for people. */
export async function partnershipsTable(platform: Platform, partnerships: readonly Partnership[]): Promise<string> {
  if (partnerships.length === 0) return 'none';
  const nameOf = await organisationNames(
    platform,
    partnerships.flatMap(({ merchantId, partnerId }) => [merchantId, partnerId]),
  );
  return table(
    ['uuid', 'name', 'merchant', 'partner', 'state'],
    partnerships.map((one) => [one.uuid, one.name, nameOf(one.merchantId), nameOf(one.partnerId), stateOf(one)]),
  );
}

/** Whether a partnership rewards anything, in a word. */
export function stateOf({ isActive, isDeleted }: Partnership): string {
  if (isDeleted) return 'deleted';
  return isActive ? 'active' : 'inactive';
}
