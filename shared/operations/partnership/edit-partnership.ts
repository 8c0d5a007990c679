import { type Campaign, isListed } from '../../domain/campaign/document/campaign.ts';
import {
  findDeletionObstacles,
  findEditObstacles,
  type Partnership,
  type PartnershipEdit,
  type PartnershipObstacle,
  type PartnershipUse,
} from '../../domain/partnership.ts';
import { isTimeZone } from '../../domain/period.ts';
import { partnershipDeletionWrite, partnershipEditWrite } from '../../store/campaign/partnerships.ts';
import { countersOf } from '../../store/ledger/totals.ts';
import { AlreadyExistsError, ChangedMeanwhileError, InUseError, subjectText, WrongStateError } from '../errors.ts';
import { type Confirmable, writeAudited } from '../write-audited.ts';
import {
  findPartnership,
  type ManagePartnershipDeps,
  partnershipSubject,
  UnknownTimeZoneError,
} from './manage-partnership.ts';

/** A partnership after an edit. */
export interface EditedPartnership {
  readonly partnership: Partnership;
  /** The attributes that the edit changed; empty when the partnership had these values already. */
  readonly changed: readonly string[];
}

/**
 * Edits a partnership, given by UUID or exact name. A new reversal policy counts for later refunds.
 *
 * @throws InUseError when a campaign or the ledger depends on a value
 * @throws AlreadyExistsError when the merchant has another partnership of this name
 * @throws UnknownTimeZoneError, NotFoundError, ChangedMeanwhileError; WrongStateError when it is deleted
 */
export async function editPartnership(
  text: string,
  wanted: PartnershipEdit,
  deps: ManagePartnershipDeps,
): Promise<EditedPartnership> {
  const partnership = await findPartnership(text, deps);
  const subject = partnershipSubject(partnership);
  if (partnership.isDeleted) throw new WrongStateError(subject, 'deleted');
  const edit = changesIn(partnership, wanted);
  const changed = Object.keys(edit);
  if (changed.length === 0) return { partnership, changed };
  if (edit.timeZone !== undefined && !isTimeZone(edit.timeZone)) throw new UnknownTimeZoneError(edit.timeZone);
  if (edit.name !== undefined) await requireFreeName(partnership, edit.name, deps);
  requireNone(partnership, findEditObstacles(partnership, edit, await loadUse(partnership, deps)));

  const before = Object.fromEntries(Object.entries(partnership).filter(([name]) => changed.includes(name)));
  await writeAudited(
    {
      what: `changed ${changed.join(', ')} of ${subjectText(subject)}`,
      change: { before, after: edit },
      writes: [partnershipEditWrite(partnership, edit)],
      conflict: () => new ChangedMeanwhileError(subject),
    },
    deps,
  );
  return { partnership: { ...partnership, ...edit, revision: (partnership.revision ?? 0) + 1 }, changed };
}

/** The given values that differ from the present ones. */
function changesIn(partnership: Partnership, wanted: PartnershipEdit): PartnershipEdit {
  const present: Readonly<Record<string, unknown>> = partnership;
  return Object.fromEntries(
    Object.entries(wanted).filter(([name, value]) => value !== undefined && value !== present[name]),
  );
}

async function requireFreeName(
  { uuid, merchantId }: Partnership,
  name: string,
  { partnerships }: ManagePartnershipDeps,
): Promise<void> {
  const others = await partnerships.of('byMerchant', merchantId);
  const namesake = others.find((one) => one.uuid !== uuid && one.name === name);
  if (namesake) throw new AlreadyExistsError(partnershipSubject(namesake));
}

/**
 * Deletes an inactive partnership, for good. Its books stay, and refunds of its rewards are still applied.
 *
 * @throws InUseError when it is active, or a campaign that has not ended depends on it
 * @throws NotFoundError, ChangedMeanwhileError; WrongStateError when it is deleted
 */
export async function deletePartnership(
  { partnership: text, confirm }: { readonly partnership: string } & Confirmable<Partnership>,
  deps: ManagePartnershipDeps,
): Promise<Partnership> {
  const partnership = await findPartnership(text, deps);
  const subject = partnershipSubject(partnership);
  if (partnership.isDeleted) throw new WrongStateError(subject, 'deleted');
  requireNone(partnership, findDeletionObstacles(partnership, await loadUse(partnership, deps)));
  await confirm?.(partnership);
  await writeAudited(
    {
      what: `deleted ${subjectText(subject)}`,
      change: { before: { isDeleted: false }, after: { isDeleted: true } },
      writes: [partnershipDeletionWrite(partnership.uuid)],
      conflict: () => new ChangedMeanwhileError(subject),
    },
    deps,
  );
  return { ...partnership, isDeleted: true };
}

/** @throws InUseError when there are obstacles */
function requireNone(partnership: Partnership, obstacles: readonly PartnershipObstacle[]): void {
  if (obstacles.length === 0) return;
  const shown = obstacles.map((one) => ({ kind: one.kind, values: 'campaigns' in one ? one.campaigns : [] }));
  throw new InUseError(partnershipSubject(partnership), shown);
}

async function loadUse(
  { uuid, merchantId, partnerId }: Partnership,
  { campaigns, table, now }: ManagePartnershipDeps,
): Promise<PartnershipUse> {
  const [own, counters, offered] = await Promise.all([
    campaigns.partnership(uuid),
    countersOf(table, uuid),
    campaigns.offeredBy(merchantId, now()),
  ]);
  const live = (own?.campaigns ?? []).map(({ campaign }) => campaign).filter(isLive);
  const others = offered.partnerships.filter((one) => one.uuid !== uuid && one.partnerId === partnerId);
  const isTransfer = (campaign: Campaign) =>
    campaign.partnershipUuid !== uuid && isLive(campaign) && movesPointsOf(campaign, partnerId);
  return {
    hasEntries: counters.length > 0,
    liveCampaigns: idsOf(live),
    cashbackCampaigns: idsOf(
      live.filter((campaign) => actionsOf(campaign).some(({ kind }) => kind === 'AWARD_CASHBACK')),
    ),
    // If the merchant has another partnership with the partner, transfers stay possible through it.
    transfers: others.length > 0 ? [] : idsOf(offered.campaigns.filter(isTransfer)),
  };
}

const isLive = (campaign: Campaign) => isListed(campaign) && campaign.status !== 'ENDED';

const actionsOf = ({ flows }: Campaign) => flows.flatMap(({ actions }) => actions);

const movesPointsOf = (campaign: Campaign, partnerId: number) =>
  actionsOf(campaign).some(
    (action) =>
      action.kind === 'TRANSFER_POINTS' && (action.fromPartnerId === partnerId || action.toPartnerId === partnerId),
  );

const idsOf = (campaigns: readonly Campaign[]) => campaigns.map(({ id }) => id).sort((one, other) => one - other);
