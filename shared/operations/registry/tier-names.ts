import { Registries } from '../../store/organisation/registries.ts';
import type { Deps } from '../operation.ts';

export const tierNamesStores = { registries: Registries };

/** Returns the name of a status tier of a partner's program; undefined when the partner's registry does not have it. */
export type TierNameOf = (partnerId: number, tierId: number) => string | undefined;

/** Loads the names of the status tiers of some partners. */
export async function loadTierNames(
  partnerIds: readonly number[],
  { registries }: Deps<typeof tierNamesStores>,
): Promise<TierNameOf> {
  const ids = [...new Set(partnerIds)];
  const found = new Map(await Promise.all(ids.map(async (id) => [id, await registries.find(id)] as const)));
  return (partnerId, tierId) => found.get(partnerId)?.tiers.find(({ id }) => id === tierId)?.name;
}
