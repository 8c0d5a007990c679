import type { Totals } from '../../domain/ledger/totals.ts';
import type { Organisation } from '../../domain/organisation.ts';
import type { Partnership } from '../../domain/partnership.ts';
import type { Trigger } from '../../domain/trigger/trigger.ts';
import type { CampaignWithTotals } from '../../store/campaign/campaigns.ts';
import type { OAuthClient } from '../../store/organisation/clients.ts';
import { type LabelledKey, OrganisationCredentials } from '../../store/organisation/organisation-credentials.ts';
import { Triggers } from '../../store/trigger/triggers.ts';
import { Subscriptions } from '../../store/webhook/subscriptions.ts';
import type { Subscription } from '../../webhooks/subscription.ts';
import type { Deps } from '../deps.ts';
import { findOrganisation, loadOrganisationNames } from '../organisation/find-organisation.ts';
import { findPartnership, managePartnershipStores, partnershipsOf } from './manage-partnership.ts';

export const organisationOverviewStores = {
  ...managePartnershipStores,
  organisationCredentials: OrganisationCredentials,
  subscriptions: Subscriptions,
};

/** An organisation with everything that belongs to it. Deleted partnerships are left out. */
export interface OrganisationOverview {
  readonly organisation: Organisation;
  readonly keys: readonly LabelledKey[];
  readonly clients: readonly OAuthClient[];
  readonly partnerships: readonly Partnership[];
  readonly subscriptions: readonly Subscription[];
  /** The names of the organisations on both sides of the partnerships. */
  readonly nameOf: (organisationId: number) => string;
}

/** Loads an organisation, given by id or exact name. */
export async function loadOrganisationOverview(
  text: string,
  deps: Deps<typeof organisationOverviewStores>,
): Promise<OrganisationOverview> {
  const organisation = await findOrganisation(text, deps);
  const [keys, clients, partnerships, subscriptions] = await Promise.all([
    deps.organisationCredentials.keysOf(organisation.id),
    deps.organisationCredentials.clientsOf(organisation.id),
    partnershipsOf(organisation, deps),
    deps.subscriptions.of(organisation.id),
  ]);
  const nameOf = await loadOrganisationNames(sidesOf(partnerships), deps);
  return { organisation, keys, clients, partnerships, subscriptions, nameOf };
}

export const partnershipOverviewStores = { ...managePartnershipStores, triggers: Triggers };

/** A partnership with its totals, campaigns and triggers. */
export interface PartnershipOverview {
  readonly partnership: Partnership;
  /** Undefined until the partnership has rewarded something. */
  readonly totals: Totals | undefined;
  readonly campaigns: readonly CampaignWithTotals[];
  readonly triggers: readonly Trigger[];
  readonly nameOf: (organisationId: number) => string;
}

/** Loads a partnership, given by UUID or exact name. */
export async function loadPartnershipOverview(
  text: string,
  deps: Deps<typeof partnershipOverviewStores>,
): Promise<PartnershipOverview> {
  const partnership = await findPartnership(text, deps);
  const [found, triggers, nameOf] = await Promise.all([
    deps.campaigns.partnership(partnership.uuid),
    deps.triggers.of(partnership.uuid),
    loadOrganisationNames(sidesOf([partnership]), deps),
  ]);
  return { partnership, totals: found?.totals, campaigns: found?.campaigns ?? [], triggers, nameOf };
}

/** The ids of the organisations on both sides of some partnerships. */
export const sidesOf = (partnerships: readonly Pick<Partnership, 'merchantId' | 'partnerId'>[]) =>
  partnerships.flatMap(({ merchantId, partnerId }) => [merchantId, partnerId]);
