import type { Partnership } from '../../domain/partnership.ts';
import type { Campaigns } from '../../store/campaign/campaigns.ts';

/**
 * The partnership, merchant or partner that a displayed time is about. A purchase without a partnership belongs to its
 * merchant.
 */
export interface Place {
  readonly partnershipUuid?: string | undefined;
  readonly merchantId?: number | undefined;
  readonly partnerId?: number | undefined;
}

/** The time zone in which the times of a partnership, merchant or partner are shown. */
export type ZoneOf = (place: Place) => string;

type ZoneDeps = { readonly campaigns: Pick<Campaigns, 'findPartnership' | 'partnershipsOf'> };

/**
 * Loads time zones for partnerships, merchants and partners: the partnership's time zone, if the partnership is known; otherwise the time
 * zone that all partnerships of the merchant, or of the partner, share; otherwise UTC (decision 0158).
 */
export async function loadTimeZones(places: Iterable<Place>, deps: ZoneDeps): Promise<ZoneOf> {
  const zones = new Map<string, string>();
  const distinct = new Map([...places].map((place) => [keyOf(place), place]));
  await Promise.all([...distinct].map(async ([key, place]) => zones.set(key, await loadZone(place, deps))));
  return (place) => zones.get(keyOf(place)) ?? 'UTC';
}

const keyOf = ({ partnershipUuid, merchantId, partnerId }: Place): string =>
  partnershipUuid ?? (merchantId === undefined ? `partner ${partnerId}` : `merchant ${merchantId}`);

async function loadZone({ partnershipUuid, merchantId, partnerId }: Place, { campaigns }: ZoneDeps): Promise<string> {
  if (partnershipUuid !== undefined) return sharedZone([await campaigns.findPartnership(partnershipUuid)]);
  if (merchantId !== undefined) return sharedZone(await campaigns.partnershipsOf('byMerchant', merchantId));
  return partnerId === undefined ? 'UTC' : sharedZone(await campaigns.partnershipsOf('byPartner', partnerId));
}

function sharedZone(partnerships: readonly (Partnership | undefined)[]): string {
  const [zone, ...others] = new Set(partnerships.map((one) => one?.timeZone));
  return others.length > 0 ? 'UTC' : (zone ?? 'UTC');
}
