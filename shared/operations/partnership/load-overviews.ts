import type { Partnership } from '../../domain/partnership.ts';
import { OrganisationCredentials } from '../../store/organisation/organisation-credentials.ts';
import { Triggers } from '../../store/trigger/triggers.ts';
import { Subscriptions } from '../../store/webhook/subscriptions.ts';
import type { Deps } from '../operation.ts';
import { findOrganisation, loadOrganisationNames } from '../organisation/find-organisation.ts';
import { findPartnership, listPartnerships, managePartnershipStores, partnershipsOf } from './manage-partnership.ts';

const organisationOverviewStores = {
  ...managePartnershipStores,
  organisationCredentials: OrganisationCredentials,
  subscriptions: Subscriptions,
};

/**
 * Loads an organisation, given by id or exact name, with its keys, OAuth clients, partnerships and webhook
 * subscriptions. Deleted partnerships are left out. `nameOf` returns the name of either side of a partnership.
 */
export async function loadOrganisationOverview(text: string, deps: Deps<typeof organisationOverviewStores>) {
  const organisation = await findOrganisation(text, deps);
  const [keys, clients, partnerships, subscriptions] = await Promise.all([
    deps.organisationCredentials.keysOf(organisation.id),
    deps.organisationCredentials.clientsOf(organisation.id),
    partnershipsOf(organisation, deps),
    deps.subscriptions.of(organisation.id),
  ]);
  return { organisation, keys, clients, partnerships, subscriptions, nameOf: await nameSides(partnerships, deps) };
}

/** Loads the partnerships of one organisation, or of all if none is given, with the names of their sides. */
export async function loadPartnerships(organisation: string | undefined, deps: Deps<typeof managePartnershipStores>) {
  const partnerships = await listPartnerships(organisation, deps);
  return { partnerships, nameOf: await nameSides(partnerships, deps) };
}

const partnershipOverviewStores = { ...managePartnershipStores, triggers: Triggers };

/**
 * Loads a partnership, given by UUID or exact name, with its campaigns and triggers. `totals` is undefined
 * when the partnership is deleted.
 */
export async function loadPartnershipOverview(text: string, deps: Deps<typeof partnershipOverviewStores>) {
  const partnership = await findPartnership(text, deps);
  const [found, triggers, nameOf] = await Promise.all([
    deps.campaigns.partnership(partnership.uuid),
    deps.triggers.of(partnership.uuid),
    nameSides([partnership], deps),
  ]);
  return { partnership, totals: found?.totals, campaigns: found?.campaigns ?? [], triggers, nameOf };
}

function nameSides(
  partnerships: readonly Pick<Partnership, 'merchantId' | 'partnerId'>[],
  deps: Deps<typeof managePartnershipStores>,
) {
  const sides = partnerships.flatMap(({ merchantId, partnerId }) => [merchantId, partnerId]);
  return loadOrganisationNames(sides, deps);
}
