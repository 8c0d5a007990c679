import type { CampaignFilter } from '../../api/campaigns.ts';
import type { CampaignType } from '../../api/types.ts';

/** Which campaigns the list shows. They are in the address, so that Back and links keep them. */
export interface Filters {
  readonly state?: State;
  readonly type?: CampaignType;
  /** UUID of the partnership. */
  readonly partnership?: string;
  readonly text?: string;
}

/** The states by which people filter, each as the server's filter. */
const states = {
  active: { status: 'ACTIVE' },
  paused: { status: 'PAUSED' },
  scheduled: { status: 'SCHEDULED' },
  waiting: { waiting: 'anyone' },
  draft: { status: 'DRAFT' },
  ended: { status: 'ENDED' },
} as const satisfies Readonly<Record<string, CampaignFilter>>;
export type State = keyof typeof states;

export const campaignTypes: readonly CampaignType[] = ['EARN', 'REDEEM', 'TRANSFER', 'CONNECT_ONLY'];
export const stateNames = Object.keys(states) as State[];

/** Reads the filters of an address. What it does not know is left out. */
export function readFilters({ state, type, partnership, text }: Record<string, unknown>): Filters {
  const knownState = stateNames.find((one) => one === state);
  const knownType = campaignTypes.find((one) => one === type);
  return {
    ...(knownState && { state: knownState }),
    ...(knownType && { type: knownType }),
    ...(typeof partnership === 'string' && partnership !== '' && { partnership }),
    // The router reads a text of digits as a number.
    ...((typeof text === 'string' || typeof text === 'number') && text !== '' && { text: String(text) }),
  };
}

/** The filters with the names of the server's. */
export function toCampaignFilter({ state, type, partnership, text = '' }: Filters): CampaignFilter {
  return {
    ...(state && states[state]),
    ...(type && { type }),
    ...(partnership !== undefined && { partnership }),
    ...(text.trim() !== '' && { text: text.trim() }),
  };
}
