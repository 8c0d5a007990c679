import type { Campaign } from '../../domain/campaign/document/campaign.ts';
import type { Partnership } from '../../domain/partnership.ts';
import type { RegisteredAttribute, StatusTier } from '../../domain/registry/registry.ts';
import type { Trigger } from '../../domain/trigger/trigger.ts';
import { CampaignRecords } from '../../store/campaign/campaign-records.ts';
import { Campaigns } from '../../store/campaign/campaigns.ts';
import { Partnerships } from '../../store/campaign/partnerships.ts';
import { Organisations } from '../../store/organisation/organisations.ts';
import { Registries } from '../../store/organisation/registries.ts';
import { Triggers } from '../../store/trigger/triggers.ts';
import type { Deps } from '../operation.ts';
import { loadOrganisationNames } from '../organisation/find-organisation.ts';

export const loadChoicesStores = {
  partnerships: Partnerships,
  organisations: Organisations,
  registries: Registries,
  triggers: Triggers,
};
type LoadChoicesDeps = Deps<typeof loadChoicesStores>;

/** An organisation with its name. */
interface Named {
  readonly id: number;
  readonly name: string;
}

/** A partnership, with everything that the author of a campaign may choose in it. */
export interface PartnershipChoices {
  readonly partnership: Partnership;
  /** The side that the reading organisation is on. */
  readonly side: 'merchant' | 'partner';
  readonly merchant: Named;
  readonly partner: Named;
  /** The attributes of the merchant's customers. */
  readonly attributes: readonly RegisteredAttribute[];
  /** The status tiers of the partner's program. */
  readonly tiers: readonly StatusTier[];
  readonly triggers: readonly Trigger[];
  /** The programs between which a transfer may move points. A partner sees only its own: others are the merchant's. */
  readonly programs: readonly Named[];
}

/** Returns the partnerships of either side. Deleted ones are left out. */
async function partnershipsOf(organisationId: number, { partnerships }: Pick<LoadChoicesDeps, 'partnerships'>) {
  const [asMerchant, asPartner] = await Promise.all([
    partnerships.of('byMerchant', organisationId),
    partnerships.of('byPartner', organisationId),
  ]);
  return [...asMerchant, ...asPartner];
}

/**
 * Loads the partnerships of an organisation by name, with what the author of a campaign may choose in each. Reads twice:
 * the partnerships, and then what belongs to them.
 */
export async function loadChoices(organisationId: number, deps: LoadChoicesDeps): Promise<PartnershipChoices[]> {
  const found = await partnershipsOf(organisationId, deps);
  const sides = [...new Set(found.flatMap(({ merchantId, partnerId }) => [merchantId, partnerId]))];
  const [nameOf, registries, triggers] = await Promise.all([
    loadOrganisationNames(sides, deps),
    Promise.all(sides.map((id) => deps.registries.find(id))),
    Promise.all(found.map(async ({ uuid }) => [uuid, await deps.triggers.of(uuid)] as const)),
  ]);
  const registryOf = new Map(registries.map((registry) => [registry.organisationId, registry]));
  const triggersOf = new Map(triggers);
  const named = (id: number): Named => ({ id, name: nameOf(id) });
  const choices = found.map((partnership): PartnershipChoices => {
    const { uuid, merchantId, partnerId } = partnership;
    const isMerchant = merchantId === organisationId;
    const programs = isMerchant ? [...new Set(found.map((one) => one.partnerId))] : [partnerId];
    return {
      partnership,
      side: isMerchant ? 'merchant' : 'partner',
      merchant: named(merchantId),
      partner: named(partnerId),
      attributes: registryOf.get(merchantId)?.attributes ?? [],
      tiers: registryOf.get(partnerId)?.tiers ?? [],
      triggers: triggersOf.get(uuid) ?? [],
      programs: programs.map(named),
    };
  });
  return choices.sort((one, other) => one.partnership.name.localeCompare(other.partnership.name));
}

export const listTriggersStores = {
  partnerships: Partnerships,
  campaigns: Campaigns,
  campaignRecords: CampaignRecords,
  triggers: Triggers,
};
type ListTriggersDeps = Deps<typeof listTriggersStores>;

/** A trigger, and the campaigns that wait for it. */
export interface TriggerUse {
  readonly trigger: Trigger;
  readonly partnership: Partnership;
  /** Running, scheduled and paused campaigns, and drafts. */
  readonly campaigns: readonly Named[];
}

/** Lists the triggers of an organisation's partnerships, by name, each with the campaigns that wait for it. */
export async function listTriggers(organisationId: number, deps: ListTriggersDeps): Promise<TriggerUse[]> {
  const sides = ['byMerchant', 'byPartner'] as const;
  const [partnerships, drafts] = await Promise.all([
    partnershipsOf(organisationId, deps),
    Promise.all(sides.map((side) => deps.campaignRecords.draftsOf(side, organisationId))),
  ]);
  const uses = await Promise.all(
    partnerships.map(async (partnership) => {
      const { uuid } = partnership;
      const [triggers, found] = await Promise.all([deps.triggers.of(uuid), deps.campaigns.partnership(uuid)]);
      const live = (found?.campaigns ?? []).map(({ campaign }) => campaign);
      const versions = [
        ...live.filter(({ status, isDeleted }) => status !== 'ENDED' && !isDeleted),
        ...drafts
          .flat()
          .flatMap(({ draft, partnershipUuid }) => (draft && partnershipUuid === uuid ? [draft.campaign] : [])),
      ];
      return triggers.map(
        (trigger): TriggerUse => ({ trigger, partnership, campaigns: waitingFor(trigger, versions) }),
      );
    }),
  );
  return uses.flat().sort((one, other) => one.trigger.name.localeCompare(other.trigger.name));
}

function waitingFor({ customTriggerId, event }: Trigger, versions: readonly Campaign[]): Named[] {
  const isAwaited = ({ trigger }: Campaign['flows'][number]) =>
    trigger.type === 'CUSTOM' ? trigger.customTriggerId === customTriggerId : trigger.type === event;
  const waiting = versions.filter(({ flows }) => flows.some(isAwaited));
  return [...new Map(waiting.map(({ id, name }) => [id, { id, name }])).values()];
}
