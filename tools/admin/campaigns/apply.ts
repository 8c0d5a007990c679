import { draftCampaign } from '../../../shared/domain/campaign/authoring/new-campaign.ts';
import { type Edit, edit, editable } from '../../../shared/domain/campaign/authoring/review.ts';
import { documentOf } from '../../../shared/domain/campaign/document/campaign.ts';
import type { ManagedCampaign } from '../../../shared/domain/campaign/document/record.ts';
import { isObject } from '../../../shared/domain/campaign/document/tree.ts';
import { isSide, type Partnership } from '../../../shared/domain/partnership.ts';
import type { Platform } from '../../../shared/runtime/platform.ts';
import { newCampaignWrite } from '../../../shared/store/campaign/campaign-records.ts';
import { OperatorError } from '../cli/errors.ts';
import type { Change } from '../make/change.ts';
import { type Difference, differencesBetween } from './difference.ts';
import { type CampaignAct, changeCampaign, changedText, findCampaign } from './manage.ts';
import { readDocument } from './read-document.ts';
import { settingsOf } from './settings.ts';

/** A campaign as a file would have it, and what that is otherwise than now. */
export interface Applied {
  readonly differences: readonly Difference[];
  /** Not written yet; undefined when the file changes nothing. */
  readonly change: Change<ManagedCampaign> | undefined;
}

/**
 * Makes a campaign of a file, as a draft.
 *
 * @throws OperatorError, or FaultyFileError with every fault of the file
 */
export async function makeCampaign(
  platform: Platform,
  file: unknown,
  { partnership, organisationId }: { readonly partnership: Partnership; readonly organisationId: number },
): Promise<Applied> {
  requireSide(partnership, organisationId);
  const now = platform.now();
  const settings = await settingsOf(platform, partnership, typeIn(file));
  const written = readDocument(file, { campaign: null, settings, organisationId, now });
  const id = await platform.sequences.lease('campaign', 1);
  const made = draftCampaign(written, { id, partnership, organisationId, now });
  return {
    differences: differencesBetween({}, written.document),
    change: { made, writes: [newCampaignWrite(made)] },
  };
}

/**
 * Changes a campaign to what a file says: its draft, or else a next version of what runs.
 *
 * @throws OperatorError, or FaultyFileError with every fault of the file
 */
export async function editCampaign(platform: Platform, file: unknown, on: CampaignAct): Promise<Applied> {
  const { written, differences, revision } = await compare(platform, file, on);
  if (differences.length === 0) return { differences, change: undefined };
  const change = await changeCampaign(platform, { ...on, revision }, (now, act) => edit(now, written, act));
  return { differences, change };
}

/** What a file says otherwise than the campaign as it may be edited. @throws as `editCampaign` */
export async function diffCampaign(platform: Platform, file: unknown, on: CampaignAct): Promise<readonly Difference[]> {
  return (await compare(platform, file, on)).differences;
}

interface Comparison {
  readonly written: Edit;
  readonly differences: readonly Difference[];
  readonly revision: number;
}

async function compare(
  platform: Platform,
  file: unknown,
  { campaignId, organisationId, revision: seen }: CampaignAct,
): Promise<Comparison> {
  const campaign = await findCampaign(platform, campaignId);
  requireSide(campaign.record, organisationId);
  if (seen !== undefined && seen !== campaign.record.revision) throw new OperatorError(changedText(campaignId));
  const partnership = await platform.campaigns.findPartnership(campaign.record.partnershipUuid);
  const before = editable(campaign);
  if (!partnership || !before) throw new OperatorError(`campaign ${campaignId} has no document`);
  const settings = await settingsOf(platform, partnership, typeIn(file));
  const written = readDocument(file, { campaign, settings, organisationId, now: platform.now() });
  const differences = differencesBetween(documentOf(before), written.document);
  return { written, differences, revision: campaign.record.revision };
}

const typeIn = (file: unknown) => (isObject(file) ? file.type : undefined);

/** @throws OperatorError when an organisation has nothing to do with a thing */
export function requireSide(
  thing: { readonly merchantId: number; readonly partnerId: number },
  organisationId: number,
): void {
  if (isSide(organisationId, thing)) return;
  throw new OperatorError(`organisation ${organisationId} is on neither side of the partnership`);
}
