import { expect, it } from 'vitest';
import type { Partnership } from '../../shared/domain/partnership.ts';
import { loadTimeZone, type Place } from '../../shared/operations/partnership/load-time-zone.ts';
import { aPartnership } from '../domain/fixtures.ts';

/** Merchant 1 has partnerships in two zones, merchant 3 in one. */
const all: readonly Partnership[] = [
  aPartnership({ uuid: 'coffee', merchantId: 1, partnerId: 2, timeZone: 'America/New_York' }),
  aPartnership({ uuid: 'coffee in Paris', merchantId: 1, partnerId: 4, timeZone: 'Europe/Paris' }),
  aPartnership({ uuid: 'tea', merchantId: 3, partnerId: 4, timeZone: 'Europe/Paris' }),
];
const partnerships = {
  find: async (wanted: string) => all.find(({ uuid }) => uuid === wanted),
  of: async (side: 'byMerchant' | 'byPartner', id: number) =>
    all.filter((one) => (side === 'byMerchant' ? one.merchantId : one.partnerId) === id),
};

it.each<[string, Place[]]>([
  ['America/New_York', [{ partnershipUuid: 'coffee', merchantId: 1 }]],
  ['Europe/Paris', [{ partnershipUuid: 'coffee in Paris', merchantId: 1 }]],
  ['UTC', [{ merchantId: 1 }]],
  ['Europe/Paris', [{ merchantId: 3 }]],
  ['America/New_York', [{ partnerId: 2 }]],
  ['Europe/Paris', [{ partnerId: 4 }]],
  ['UTC', [{ partnershipUuid: 'unknown' }]],
  ['UTC', [{ merchantId: 9 }]],
  ['UTC', []],
  ['Europe/Paris', [{ merchantId: 3 }, { partnerId: 4 }]],
  ['UTC', [{ merchantId: 3 }, { partnerId: 2 }]],
])('loadTimeZone() returns %s for the places %j', async (zone, places) => {
  expect(await loadTimeZone(places, { partnerships })).toBe(zone);
});
