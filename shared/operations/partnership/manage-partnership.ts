import type { Organisation } from '../../domain/organisation.ts';
import { findExcluding, type PartnerApproval, type Partnership } from '../../domain/partnership.ts';
import { isTimeZone } from '../../domain/period.ts';
import { isMisspelling } from '../../domain/spelling.ts';
import { Campaigns } from '../../store/campaign/campaigns.ts';
import {
  activationWrite,
  type MerchantPartnerships,
  Partnerships,
  partnerApprovalWrite,
  partnershipWrite,
  partnersWrite,
} from '../../store/campaign/partnerships.ts';
import { partneredWrite } from '../../store/organisation/organisations.ts';
import type { Write } from '../../store/table/table-client.ts';
import {
  AlreadyExistsError,
  AmbiguousNameError,
  ChangedMeanwhileError,
  NotFoundError,
  OperationError,
  type Subject,
  subjectText,
  WrongStateError,
} from '../errors.ts';
import { decideAndWrite } from '../operation.ts';
import {
  allOrganisations,
  findOrganisation,
  findOrganisationStores,
  organisationSubject,
} from '../organisation/find-organisation.ts';
import { type AuditedDeps, type Confirmable, writeAudited } from '../write-audited.ts';

export const managePartnershipStores = { ...findOrganisationStores, campaigns: Campaigns, partnerships: Partnerships };
export type ManagePartnershipDeps = AuditedDeps<typeof managePartnershipStores>;

/**
 * The attributes of a new partnership. The defaults: marketplace, the time zone of New York, no cashback, the reversal
 * policy `within_balance`.
 */
export type NewPartnership = Pick<Partnership, 'name' | 'description' | 'merchantId' | 'partnerId'> &
  Partial<Pick<Partnership, 'kind' | 'timeZone' | 'allowsCashback' | 'reversalPolicy'>>;

/** The name is not in the IANA time zone database, so no campaign could compute its days. */
export class UnknownTimeZoneError extends OperationError {
  override readonly name = 'UnknownTimeZoneError';
  readonly timeZone: string;

  constructor(timeZone: string) {
    super(`${timeZone} is not a time zone`);
    this.timeZone = timeZone;
  }
}

/** The partnership cannot be active, because its merchant has another active partnership that excludes it. */
export class PartnershipExcludedError extends OperationError {
  override readonly name = 'PartnershipExcludedError';
  readonly existing: Partnership;
  /**
   * Whether the two partnerships are of the same merchant and partner. If not, they exclude each other because one of
   * them is direct.
   */
  readonly isSamePair: boolean;

  constructor(existing: Partnership, isSamePair: boolean) {
    super(`${subjectText(partnershipSubject(existing))} is active`);
    this.existing = existing;
    this.isSamePair = isSamePair;
  }
}

/**
 * Creates an active partnership between a merchant and a partner.
 *
 * @throws AlreadyExistsError when the merchant has a partnership of this name
 * @throws PartnershipExcludedError when the pair already has an active partnership, or the merchant has any other
 * active partnership and one of the two partnerships is direct
 * @throws NotFoundError or WrongStateError when one of the organisations does not exist, or is deleted meanwhile
 * @throws UnknownTimeZoneError
 */
export async function createPartnership(wanted: NewPartnership, deps: ManagePartnershipDeps): Promise<Partnership> {
  const { name, merchantId } = wanted;
  const partnership = newPartnership(wanted, deps);
  if (!isTimeZone(partnership.timeZone)) throw new UnknownTimeZoneError(partnership.timeZone);
  const { uuid } = partnership;
  await decideAndWrite(
    {
      subject: `the partnerships of merchant ${merchantId}`,
      load: async () => {
        await requireOrganisations(wanted, deps);
        return deps.partnerships.toChange(merchantId);
      },
      write: (known) => {
        const namesake = known.partnerships.find((one) => one.name === name && !one.isDeleted);
        if (namesake) throw new AlreadyExistsError(partnershipSubject(namesake));
        return writeAudited(
          {
            what: `created ${subjectText(partnershipSubject(partnership))} between organisations ${merchantId} and ${wanted.partnerId}`,
            change: { before: null, after: { uuid, ...wanted, kind: partnership.kind } },
            writes: [
              partnershipWrite(partnership),
              ...exclusionWrites(partnership, known),
              ...[merchantId, wanted.partnerId].map(partneredWrite),
            ],
            conflict: () => new ChangedMeanwhileError(partnershipSubject(partnership)),
          },
          deps,
        );
      },
      conflicts: [ChangedMeanwhileError],
    },
    deps,
  );
  return partnership;
}

/** Both organisations have to exist. @throws NotFoundError; WrongStateError when one of them is deleted */
async function requireOrganisations(
  { merchantId, partnerId }: Pick<NewPartnership, 'merchantId' | 'partnerId'>,
  { organisations }: ManagePartnershipDeps,
): Promise<void> {
  const found = await organisations.findMany([merchantId, partnerId]);
  for (const id of [merchantId, partnerId]) {
    const organisation = found.find((one) => one.id === id);
    if (!organisation) throw new NotFoundError({ kind: 'organisation', id });
    if (organisation.deletedAt !== undefined) throw new WrongStateError(organisationSubject(organisation), 'deleted');
  }
}

/**
 * The writes that fail when another partnership of the merchant is created or activated at the same time.
 *
 * @throws PartnershipExcludedError
 */
function exclusionWrites(partnership: Partnership, known: MerchantPartnerships): Write[] {
  const existing = findExcluding(partnership, known.partnerships);
  if (existing) throw new PartnershipExcludedError(existing, existing.partnerId === partnership.partnerId);
  return [partnersWrite(known, partnership.uuid)];
}

function newPartnership(wanted: NewPartnership, { nextUuid, config, now }: AuditedDeps): Partnership {
  return {
    kind: 'marketplace',
    timeZone: 'America/New_York',
    allowsCashback: false,
    partnerApproval: 'needed',
    reversalPolicy: 'within_balance',
    ...wanted,
    uuid: nextUuid(),
    imageUrl: null,
    relatedPartnerId: null,
    ownerId: wanted.merchantId,
    isActive: true,
    isDeleted: false,
    isDemo: config.stage !== 'production',
    createdAt: now().toISOString(),
  };
}

/**
 * Activates or deactivates a partnership, given by UUID or exact name. Campaigns of an inactive partnership reward
 * nothing.
 *
 * @throws WrongStateError when it is deleted, or has this state already
 * @throws PartnershipExcludedError when another active partnership excludes it
 */
export async function setPartnershipActive(
  { partnership: text, isActive, confirm }: { partnership: string; isActive: boolean } & Confirmable<Partnership>,
  deps: ManagePartnershipDeps,
): Promise<Partnership> {
  const partnership = await findPartnership(text, deps);
  const subject = partnershipSubject(partnership);
  if (partnership.isDeleted) throw new WrongStateError(subject, 'deleted');
  if (partnership.isActive === isActive) throw new WrongStateError(subject, isActive ? 'active' : 'inactive');
  const exclusion = isActive
    ? exclusionWrites(partnership, await deps.partnerships.toChange(partnership.merchantId))
    : [];
  await confirm?.(partnership);
  await writeAudited(
    {
      what: `${isActive ? 'activated' : 'deactivated'} ${subjectText(subject)}`,
      change: { before: { isActive: !isActive }, after: { isActive } },
      writes: [activationWrite(partnership.uuid, isActive), ...exclusion],
      conflict: () => new ChangedMeanwhileError(subject),
    },
    deps,
  );
  return { ...partnership, isActive };
}

/** Only the partner of a partnership may decide whether campaigns that move its points need its approval. */
export class NotThePartnerError extends OperationError {
  override readonly name = 'NotThePartnerError';
  readonly partnerId: number;

  constructor(partnerId: number) {
    super(
      `only the partner, organisation ${partnerId}, decides whether it approves the campaigns that move its points`,
    );
    this.partnerId = partnerId;
  }
}

/**
 * Lets the merchant's campaigns move the partner's points without the partner's approval, or requires the approval
 * again. Versions that were approved before are not affected.
 *
 * @param as the organisation that decides
 * @throws NotThePartnerError, NotFoundError, AmbiguousNameError
 * @throws WrongStateError when the partnership is deleted
 */
export async function setPartnerApproval(
  {
    partnership: text,
    partnerApproval,
    as,
  }: { readonly partnership: string; readonly partnerApproval: PartnerApproval; readonly as: Organisation },
  deps: ManagePartnershipDeps,
): Promise<Partnership> {
  const partnership = await findPartnership(text, deps);
  const subject = partnershipSubject(partnership);
  if (as.id !== partnership.partnerId) throw new NotThePartnerError(partnership.partnerId);
  if (partnership.isDeleted) throw new WrongStateError(subject, 'deleted');
  await writeAudited(
    {
      what: `set the partner's approval of campaigns to ${partnerApproval} in ${subjectText(subject)} as organisation ${as.id} (${as.name})`,
      writes: [partnerApprovalWrite(partnership.uuid, partnerApproval)],
      conflict: () => new ChangedMeanwhileError(subject),
    },
    deps,
  );
  return { ...partnership, partnerApproval };
}

const uuidPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Returns one organisation's partnerships, or, without an organisation, all of them. Deleted ones are left out. */
export async function listPartnerships(
  organisation: string | undefined,
  deps: ManagePartnershipDeps,
): Promise<Partnership[]> {
  if (organisation === undefined) return allPartnerships(deps);
  return partnershipsOf(await findOrganisation(organisation, deps), deps);
}

/** Returns the partnerships of an organisation. Deleted ones are left out. */
export function partnershipsOf(
  { id, kind }: Organisation,
  { partnerships }: AuditedDeps<typeof managePartnershipStores>,
): Promise<Partnership[]> {
  return partnerships.of(kind === 'MERCHANT' ? 'byMerchant' : 'byPartner', id);
}

/** Returns every partnership that is not deleted, sorted by name. */
async function allPartnerships(deps: AuditedDeps<typeof managePartnershipStores>): Promise<Partnership[]> {
  const merchants = (await allOrganisations(deps)).filter(({ kind }) => kind === 'MERCHANT');
  const found: Partnership[] = [];
  // Reads one merchant after the other: the operator can wait, and the table keeps its capacity for API callers.
  for (const { id } of merchants) found.push(...(await deps.partnerships.of('byMerchant', id)));
  return found.sort((one, other) => one.name.localeCompare(other.name));
}

/**
 * Finds a partnership by its UUID or its exact name.
 *
 * @throws NotFoundError when there is none
 * @throws AmbiguousNameError when several have the name
 */
export async function findPartnership(
  text: string,
  deps: AuditedDeps<typeof managePartnershipStores>,
): Promise<Partnership> {
  const byUuid = uuidPattern.test(text) ? await deps.partnerships.find(text.toLowerCase()) : undefined;
  if (byUuid) return byUuid;

  const all = await allPartnerships(deps);
  const [found, ...others] = all.filter(({ name }) => name === text);
  const wanted: Subject = { kind: 'partnership', id: text };
  if (found === undefined) {
    const similar = all.find(({ name }) => isMisspelling(text, name));
    throw new NotFoundError(wanted, similar && { similar: partnershipSubject(similar) });
  }
  if (others.length > 0) {
    throw new AmbiguousNameError(
      wanted,
      [found, ...others].map(({ uuid }) => uuid),
    );
  }
  return found;
}

export const partnershipSubject = ({
  uuid,
  name,
}: Pick<Partnership, 'uuid'> & Partial<Pick<Partnership, 'name'>>): Subject => ({
  kind: 'partnership',
  id: uuid,
  ...(name !== undefined && { name }),
});
