import type { CampaignActState } from '../../domain/campaign/authoring/acts.ts';
import type { CampaignStatus } from '../../domain/campaign/document/campaign.ts';
import { actPermissions } from '../../operations/campaign/campaign-acts.ts';
import type { CampaignNames, CampaignViewer } from '../../operations/campaign/load-campaign.ts';

/** The acts on a campaign, each with the reason why the person cannot do it; null when the person can. */
export function actViews(
  acts: readonly CampaignActState[],
  { viewer, names }: { readonly viewer: CampaignViewer | null; readonly names: CampaignNames },
) {
  return acts.map(({ act, refusal }) => {
    const permission = actPermissions[act];
    const isPermitted = viewer?.permissions?.includes(permission) ?? true;
    const reason = isPermitted ? refusal && reasonInWords(refusal, names) : 'Your roles do not permit this';
    return { act, isAllowed: reason === null, reason };
  });
}

const statusWords: Readonly<Record<CampaignStatus, string>> = {
  DRAFT: 'a draft',
  IN_REVIEW: 'in review',
  SCHEDULED: 'scheduled',
  ACTIVE: 'active',
  PAUSED: 'paused',
  ENDED: 'ended',
};
const status = new RegExp(`\\b(${Object.keys(statusWords).join('|')})\\b`, 'g');

/** The reason of a refusal, with names in place of ids: `Only Corner Coffee, which paused the campaign, can resume it`. */
export function reasonInWords(reason: string, { organisation }: Pick<CampaignNames, 'organisation'>): string {
  const named = reason
    .replaceAll(/\borganisation (\d+)((?:, \d+)*)/g, (_, first: string, more: string) =>
      [first, ...more.split(', ').slice(1)].map((id) => organisation(Number(id))).join(', '),
    )
    .replaceAll(/\bcampaign \d+/g, 'the campaign')
    .replaceAll(status, (word) => statusWords[word as CampaignStatus]);
  return named.charAt(0).toUpperCase() + named.slice(1);
}
