import type { Campaign } from '../document/campaign.ts';
import type { CampaignDocument } from '../document/document.ts';
import type { ManagedCampaign } from '../document/record.ts';
import { isReached } from './lifecycle.ts';
import { editable, hasBegun } from './review.ts';
import type { CampaignFault } from './validate.ts';

/**
 * What is wrong with the schedule and the type of a document that was just written, given when that is and
 * what was there before. What is not changed may lie in the past: only what somebody asks for has to be possible.
 *
 * @param campaign the campaign that is edited; null for a new one
 */
export function scheduleFaults(
  document: Pick<CampaignDocument, 'type' | 'startsAt' | 'endsAt'>,
  campaign: ManagedCampaign | null,
  now: Date,
): CampaignFault[] {
  const before = campaign && editable(campaign);
  const live = campaign?.live ?? null;
  return [
    ...faultsOfStart(document, { before, live, now }),
    ...faultsOfEnd(document, { before, now }),
    ...faultsOfType(document, live),
  ];
}

interface Against {
  readonly before: Campaign | null;
  readonly now: Date;
}

function faultsOfStart(
  { startsAt }: Pick<CampaignDocument, 'startsAt'>,
  { before, live, now }: Against & { live: Campaign | null },
) {
  if (hasBegun(live, now)) {
    if (isSameInstant(startsAt, live.startsAt)) return [];
    return [fault('/startsAt', 'campaign_has_begun', `cannot change any more: the campaign began on ${live.startsAt}`)];
  }
  if (isSameInstant(startsAt, before?.startsAt ?? null) || !isReached(startsAt, new Date(now.getTime() - 1))) return [];
  return [fault('/startsAt', 'in_the_past', 'lies in the past: leave it out to start with the last approval')];
}

function faultsOfEnd({ endsAt }: Pick<CampaignDocument, 'endsAt'>, { before, now }: Against): CampaignFault[] {
  if (isSameInstant(endsAt, before?.endsAt ?? null) || !isReached(endsAt, now)) return [];
  return [fault('/endsAt', 'in_the_past', 'lies in the past')];
}

/** Lists hold campaigns by type: the row of another type would stay behind. */
function faultsOfType({ type }: Pick<CampaignDocument, 'type'>, live: Campaign | null): CampaignFault[] {
  if (live === null || live.type === type) return [];
  return [fault('/type', 'type_is_fixed', `cannot change any more: partners know the campaign as ${live.type}`)];
}

function fault(pointer: string, code: string, message: string): CampaignFault {
  return { pointer, code, message };
}

function isSameInstant(one: string | null, other: string | null): boolean {
  return one === other || (one !== null && other !== null && Date.parse(one) === Date.parse(other));
}
