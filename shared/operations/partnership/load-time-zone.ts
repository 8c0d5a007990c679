import type { Partnership } from '../../domain/partnership.ts';
import type { Partnerships } from '../../store/campaign/partnerships.ts';

/**
 * The partnership, merchant or partner that a displayed time is about. A purchase without a partnership belongs to its
 * merchant.
 */
export interface Place {
  readonly partnershipUuid?: string | undefined;
  readonly merchantId?: number | undefined;
  readonly partnerId?: number | undefined;
}

type ZoneDeps = { readonly partnerships: Pick<Partnerships, 'find' | 'of'> };

/**
 * Loads the time zone of a reading, from the partnerships, merchants and partners that it is about. Of each, it is the
 * partnership's time zone, if the partnership is known; otherwise the time zone that all partnerships of the merchant, or
 * of the partner, share; otherwise UTC. If they differ, the time zone of the reading is UTC.
 */
export async function loadTimeZone(places: Iterable<Place>, deps: ZoneDeps): Promise<string> {
  const distinct = new Map([...places].map((place) => [keyOf(place), place]));
  return onlyZone(await Promise.all([...distinct.values()].map((place) => loadZone(place, deps))));
}

const keyOf = ({ partnershipUuid, merchantId, partnerId }: Place): string =>
  partnershipUuid ?? (merchantId === undefined ? `partner ${partnerId}` : `merchant ${merchantId}`);

async function loadZone(
  { partnershipUuid, merchantId, partnerId }: Place,
  { partnerships }: ZoneDeps,
): Promise<string> {
  if (partnershipUuid !== undefined) return (await partnerships.find(partnershipUuid))?.timeZone ?? 'UTC';
  if (merchantId !== undefined) return sharedZone(await partnerships.of('byMerchant', merchantId));
  return partnerId === undefined ? 'UTC' : sharedZone(await partnerships.of('byPartner', partnerId));
}

const sharedZone = (partnerships: readonly Partnership[]) => onlyZone(partnerships.map(({ timeZone }) => timeZone));

/** The only time zone of a list; UTC if there are several, or none. */
function onlyZone(zones: readonly string[]): string {
  const [zone = 'UTC', ...others] = new Set(zones);
  return others.length > 0 ? 'UTC' : zone;
}
