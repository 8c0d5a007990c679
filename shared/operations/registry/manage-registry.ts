import { isDeepStrictEqual } from 'node:util';
import {
  findRegistryFaults,
  findUsedEntries,
  type UsedEntries,
} from '../../domain/campaign/authoring/registry-faults.ts';
import { type InputFault, InvalidInputError } from '../../domain/errors.ts';
import type { Organisation } from '../../domain/organisation.ts';
import {
  findAttributeFaults,
  findTierFaults,
  isStorableRegistry,
  nextOrder,
  type RegisteredAttribute,
  type Registry,
  type StatusTier,
  withAttribute,
  withoutAttribute,
  withoutTier,
  withTier,
} from '../../domain/registry/registry.ts';
import { registryWrite } from '../../store/organisation/registries.ts';
import { findCampaignStores } from '../campaign/change-campaign.ts';
import { ChangedMeanwhileError, NotFoundError, OperationError, type Subject, subjectText } from '../errors.ts';
import { decideAndWrite } from '../operation.ts';
import {
  findOrganisation,
  findOrganisationOfKind,
  findOrganisationStores,
  organisationSubject,
} from '../organisation/find-organisation.ts';
import { type AuditedDeps, writeAudited } from '../write-audited.ts';

const manageRegistryStores = { ...findOrganisationStores, ...findCampaignStores };
type ManageRegistryDeps = AuditedDeps<typeof manageRegistryStores>;

/** The entry is used by campaigns that may still reward. After the change, these campaigns would refer to nothing. */
export class EntryInUseError extends OperationError {
  override readonly name = 'EntryInUseError';
  readonly entry: Subject;
  readonly campaignIds: readonly number[];

  constructor(entry: Subject, campaignIds: readonly number[]) {
    super(
      `${subjectText(entry)} is in use by campaign ${campaignIds.join(', ')}: change or end each of them first; nothing was changed`,
    );
    this.entry = entry;
    this.campaignIds = campaignIds;
  }
}

/** A registry after a change of one entry. */
export interface ChangedRegistry {
  readonly outcome: 'created' | 'changed' | 'unchanged' | 'removed';
  readonly organisation: Organisation;
  readonly registry: Registry;
}

/** The use of an entry. */
interface EntryUse {
  /** The campaigns that refer to the entry and may still reward. */
  readonly campaignIds: readonly number[];
}

/** A registry, and for each entry the campaigns that use it. */
export interface RegistryOverview {
  readonly organisation: Organisation;
  readonly attributes: readonly (RegisteredAttribute & EntryUse)[];
  readonly tiers: readonly (StatusTier & EntryUse)[];
  /** Names of attributes that campaigns refer to and the registry lacks: the campaigns are older than the registry. */
  readonly missingAttributes: readonly ({ readonly name: string } & EntryUse)[];
  /** Tiers that campaigns refer to and the registry lacks. */
  readonly missingTiers: readonly ({ readonly id: number } & EntryUse)[];
}

/**
 * Loads the registry of an organisation, and for each entry the campaigns that use it.
 *
 * @param text the organisation's id or exact name
 */
export async function loadRegistry(text: string, deps: ManageRegistryDeps): Promise<RegistryOverview> {
  const organisation = await findOrganisation(text, deps);
  const [{ attributes, tiers }, campaigns] = await Promise.all([
    deps.registries.find(organisation.id),
    findLiveCampaigns(organisation.id, deps),
  ]);
  const used = campaigns.map(({ campaign, triggers }) => ({
    id: campaign.id,
    entries: findUsedEntries(campaign.flows, { triggers }),
  }));
  const usedBy = (isUsed: (entries: UsedEntries) => boolean) => ({
    campaignIds: used.filter(({ entries }) => isUsed(entries)).map(({ id }) => id),
  });
  const byName = (name: string) => usedBy((entries) => entries.attributes.has(name));
  const byTier = (id: number) => usedBy((entries) => entries.tierIds.has(id));
  const isMerchant = organisation.kind === 'MERCHANT';
  const names = new Set(isMerchant ? used.flatMap(({ entries }) => [...entries.attributes]) : []);
  const tierIds = new Set(isMerchant ? [] : used.flatMap(({ entries }) => [...entries.tierIds]));
  for (const { name } of attributes) names.delete(name);
  for (const { id } of tiers) tierIds.delete(id);
  return {
    organisation,
    attributes: attributes.map((attribute) => ({ ...attribute, ...byName(attribute.name) })),
    tiers: tiers.map((tier) => ({ ...tier, ...byTier(tier.id) })),
    missingAttributes: [...names].sort().map((name) => ({ name, ...byName(name) })),
    missingTiers: [...tierIds].sort((one, other) => one - other).map((id) => ({ id, ...byTier(id) })),
  };
}

/**
 * Registers an attribute of a merchant, or changes its type and values.
 *
 * @throws InvalidInputError with every fault of the attribute
 * @throws EntryInUseError when a campaign refers to a value that would not be allowed any more
 */
export function setAttribute(
  organisation: string,
  attribute: RegisteredAttribute,
  deps: ManageRegistryDeps,
): Promise<ChangedRegistry> {
  const decide = (registry: Registry): Decision => ({
    faults: findAttributeFaults(attribute),
    after: withAttribute(registry, attribute),
    before: registry.attributes.find(({ name }) => name === attribute.name) ?? null,
    entry: attribute,
  });
  const subject: Subject = { kind: 'attribute', id: attribute.name };
  return changeRegistry({ organisation, kind: 'MERCHANT', subject, decide }, deps);
}

/**
 * Removes an attribute of a merchant. Members keep their values, but no campaign uses them any more.
 *
 * @throws NotFoundError when the merchant has no such attribute
 * @throws EntryInUseError when a campaign refers to the attribute
 */
export function removeAttribute(
  organisation: string,
  name: string,
  deps: ManageRegistryDeps,
): Promise<ChangedRegistry> {
  const decide = (registry: Registry): Decision => ({
    faults: [],
    after: withoutAttribute(registry, name),
    before: registry.attributes.find((attribute) => attribute.name === name) ?? null,
    entry: null,
  });
  return changeRegistry({ organisation, kind: 'MERCHANT', subject: { kind: 'attribute', id: name }, decide }, deps);
}

/**
 * A tier to register. Without `order`, a new tier is placed above all other tiers, and a known tier keeps its place.
 */
export type TierSettings = Pick<StatusTier, 'id' | 'name'> & Partial<Pick<StatusTier, 'order'>>;

/**
 * Registers a status tier of a partner's program, or changes its name and `order`.
 *
 * @throws InvalidInputError with every fault of the tier
 */
export function setTier(
  organisation: string,
  { id, name, order }: TierSettings,
  deps: ManageRegistryDeps,
): Promise<ChangedRegistry> {
  const decide = (registry: Registry): Decision => {
    const before = registry.tiers.find((tier) => tier.id === id) ?? null;
    const tier = { id, name, order: order ?? before?.order ?? nextOrder(registry) };
    return { faults: findTierFaults(tier, registry), after: withTier(registry, tier), before, entry: tier };
  };
  return changeRegistry({ organisation, kind: 'PARTNER', subject: tierSubject(id), decide }, deps);
}

/**
 * Removes a status tier of a program. Members keep its number, but no campaign uses it any more.
 *
 * @throws NotFoundError when the program has no such tier
 * @throws EntryInUseError when a campaign refers to the tier
 */
export function removeTier(organisation: string, id: number, deps: ManageRegistryDeps): Promise<ChangedRegistry> {
  const decide = (registry: Registry): Decision => ({
    faults: [],
    after: withoutTier(registry, id),
    before: registry.tiers.find((tier) => tier.id === id) ?? null,
    entry: null,
  });
  return changeRegistry({ organisation, kind: 'PARTNER', subject: tierSubject(id), decide }, deps);
}

const tierSubject = (id: number): Subject => ({ kind: 'status tier', id });

/** A decided change of one entry. */
interface Decision {
  readonly faults: readonly InputFault[];
  readonly after: Registry;
  /** The entry before the change; null when it did not exist. */
  readonly before: RegisteredAttribute | StatusTier | null;
  /** The entry after the change; null when it is removed. */
  readonly entry: RegisteredAttribute | StatusTier | null;
}

interface RegistryChange {
  /** The id or exact name of the organisation. */
  readonly organisation: string;
  readonly kind: Organisation['kind'];
  readonly subject: Subject;
  readonly decide: (registry: Registry) => Decision;
}

/**
 * Decides and writes a change of one entry. Each approval of a campaign that refers to the registry increases a count
 * in the registry. So an approval at the same time causes a conflict, and the change is decided again. The new decision
 * takes the approved campaign into account.
 *
 * @throws NotFoundError when an entry that is to be removed does not exist; EntryInUseError
 */
async function changeRegistry(
  { organisation: text, kind, subject, decide }: RegistryChange,
  deps: ManageRegistryDeps,
): Promise<ChangedRegistry> {
  const organisation = await findOrganisationOfKind(text, kind, deps);
  return decideAndWrite(
    {
      subject: `the registry of ${subjectText(organisationSubject(organisation))}`,
      load: () => deps.registries.find(organisation.id),
      write: async (registry): Promise<ChangedRegistry> => {
        const decision = decide(registry);
        requireValid(decision, subject, organisation);
        const { before, entry, after } = decision;
        if (isDeepStrictEqual(before, entry)) return { outcome: 'unchanged', organisation, registry };
        await requireUnused(subject, registry, after, deps);
        const outcome = entry === null ? 'removed' : before === null ? 'created' : 'changed';
        await writeChange({ outcome, subject, organisation, registry }, decision, deps);
        return { outcome, organisation, registry: { ...after, revision: registry.revision + 1 } };
      },
      conflicts: [ChangedMeanwhileError],
    },
    deps,
  );
}

function requireValid({ faults, after, before, entry }: Decision, subject: Subject, organisation: Organisation): void {
  if (faults.length > 0) throw new InvalidInputError(faults);
  if (!before && !entry) throw new NotFoundError(subject, { within: organisationSubject(organisation) });
  if (!isStorableRegistry(after)) throw new InvalidInputError([tooLarge]);
}

async function writeChange(
  { outcome, subject, organisation, registry }: ChangedRegistry & { readonly subject: Subject },
  { before, entry, after }: Decision,
  deps: ManageRegistryDeps,
): Promise<void> {
  await writeAudited(
    {
      what: `${outcome} ${subjectText(subject)} of ${subjectText(organisationSubject(organisation))}`,
      change: { before, after: entry },
      writes: [registryWrite(registry, after)],
      conflict: () => new ChangedMeanwhileError(subject),
    },
    deps,
  );
}

const tooLarge: InputFault = { path: ['registry'], code: 'too_big', message: 'is too large with this entry' };

/** Refuses a change after which a campaign that may still reward would refer to nothing. */
async function requireUnused(
  subject: Subject,
  before: Registry,
  after: Registry,
  deps: ManageRegistryDeps,
): Promise<void> {
  const campaigns = await findLiveCampaigns(before.organisationId, deps);
  const broken = campaigns.filter(({ campaign: { flows }, triggers }) => {
    const known = new Set(findRegistryFaults(flows, { ...before, triggers }).map(({ pointer }) => pointer));
    return findRegistryFaults(flows, { ...after, triggers }).some(({ pointer }) => !known.has(pointer));
  });
  if (broken.length === 0) return;
  throw new EntryInUseError(
    subject,
    broken.map(({ campaign }) => campaign.id),
  );
}

/** The campaigns of an organisation that may still reward events, with the triggers of their partnerships. */
async function findLiveCampaigns(organisationId: number, { campaigns, triggers }: ManageRegistryDeps) {
  const live = await campaigns.liveOf(organisationId);
  return Promise.all(
    live.map(async (campaign) => ({ campaign, triggers: await triggers.of(campaign.partnershipUuid) })),
  );
}
