import type { Partnership } from '../../../shared/domain/partnership.ts';
import type { Platform } from '../../../shared/runtime/platform.ts';
import { OperatorError } from '../cli/errors.ts';
import { allOrganisations } from './organisations.ts';

type Stores = Pick<Platform, 'campaigns' | 'organisations' | 'sequences'>;

const uuidPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Every partnership that is not deleted, by name. */
export async function allPartnerships(stores: Stores): Promise<Partnership[]> {
  const merchants = (await allOrganisations(stores)).filter(({ kind }) => kind === 'MERCHANT');
  const found: Partnership[] = [];
  // One after the other: an operator waits a little, the customers of the table do not.
  for (const { id } of merchants) found.push(...(await stores.campaigns.partnershipsOf('byMerchant', id)));
  return found.sort((one, other) => one.name.localeCompare(other.name));
}

/**
 * The partnership of a UUID or an exact name.
 *
 * @throws OperatorError when there is none, or the name is several partnerships'
 */
export async function findPartnership(stores: Stores, text: string): Promise<Partnership> {
  const byUuid = uuidPattern.test(text) ? await stores.campaigns.findPartnership(text.toLowerCase()) : undefined;
  if (byUuid) return byUuid;

  const [found, ...others] = (await allPartnerships(stores)).filter(({ name }) => name === text);
  if (found === undefined) throw new OperatorError(`there is no partnership ${text}`);
  if (others.length > 0) {
    const uuids = [found, ...others].map(({ uuid }) => uuid).join(', ');
    throw new OperatorError(`several partnerships are called ${text}: give one of the UUIDs ${uuids}`);
  }
  return found;
}

/** `partnership 0192… (Corner Coffee × Skyline Miles)` */
export const partnershipText = ({ uuid, name }: Partnership) => `partnership ${uuid} (${name})`;
