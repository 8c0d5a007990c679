import type { CampaignSummary, CampaignType } from '../../api/types.ts';

/** Which campaigns the list shows. They are in the address, so that Back and links keep them. */
export interface Filters {
  readonly state?: State;
  readonly type?: CampaignType;
  /** The id of the other side. */
  readonly partner?: number;
  readonly text?: string;
}

export const states = ['active', 'scheduled', 'waiting', 'draft', 'ended'] as const;
type State = (typeof states)[number];

const types: readonly CampaignType[] = ['EARN', 'REDEEM', 'TRANSFER', 'CONNECT_ONLY'];

const holds: Readonly<Record<State, (campaign: CampaignSummary) => boolean>> = {
  active: ({ status }) => status === 'ACTIVE' || status === 'PAUSED',
  scheduled: ({ status }) => status === 'SCHEDULED',
  waiting: ({ waits_for, status, has_next_version }) =>
    waits_for.length > 0 && (status === 'IN_REVIEW' || has_next_version),
  draft: ({ status }) => status === 'DRAFT',
  ended: ({ status }) => status === 'ENDED',
};

/** Reads the filters of an address. What it does not know is left out. */
export function readFilters({ state, type, partner, text }: Record<string, unknown>): Filters {
  const knownState = states.find((one) => one === state);
  const knownType = types.find((one) => one === type);
  return {
    ...(knownState && { state: knownState }),
    ...(knownType && { type: knownType }),
    ...(typeof partner === 'number' && { partner }),
    ...(typeof text === 'string' && text !== '' && { text }),
  };
}

/** The campaigns that all filters let through. */
export const applyFilters = (campaigns: readonly CampaignSummary[], filters: Filters): CampaignSummary[] =>
  campaigns.filter((campaign) => isShown(campaign, filters));

function isShown(campaign: CampaignSummary, { state, type, partner, text = '' }: Filters): boolean {
  const { partnership } = campaign;
  return (
    (state === undefined || holds[state](campaign)) &&
    (type === undefined || campaign.type === type) &&
    (partner === undefined || partnership.merchant.id === partner || partnership.partner.id === partner) &&
    campaign.name.toLowerCase().includes(text.trim().toLowerCase())
  );
}

/** How many campaigns each state has, with the other filters as they are. */
export function countByState(campaigns: readonly CampaignSummary[], filters: Filters): Readonly<Record<State, number>> {
  const { state: _, ...others } = filters;
  const shown = applyFilters(campaigns, others);
  const count = (state: State) => shown.filter(holds[state]).length;
  return {
    active: count('active'),
    scheduled: count('scheduled'),
    waiting: count('waiting'),
    draft: count('draft'),
    ended: count('ended'),
  };
}
