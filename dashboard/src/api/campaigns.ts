import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { call } from './call.ts';
import { loadPage, loadPages } from './load-pages.ts';
import type { ActName, CampaignEntryView, CampaignSummary, CampaignView } from './types.ts';

interface Reply<Data> {
  readonly data: Data;
}

const pathOf = (organisation: number) => `/organisations/${organisation}/campaigns`;

interface CampaignPage {
  readonly campaigns: readonly CampaignSummary[];
}

/** Which campaigns to list, by the names of the server's filters. Without one, all. */
export type CampaignFilter = Readonly<
  Partial<Record<'status' | 'type' | 'partnership' | 'text', string>> & { readonly waiting?: 'you' | 'anyone' }
>;

/** All campaigns of an organisation that fit, the newest first. For what people read whole. */
export const campaignsQuery = (organisation: number, filter: CampaignFilter = {}) =>
  queryOptions({
    queryKey: ['campaigns', organisation, filter],
    queryFn: async ({ signal }) => {
      const pages = await loadPages<CampaignPage>(pathOf(organisation), signal, { ...filter, limit: '100' });
      return pages.flatMap(({ campaigns }) => campaigns);
    },
  });

/** The campaigns of an organisation that fit, the newest first, page by page. */
export const campaignPagesQuery = (organisation: number, filter: CampaignFilter) =>
  infiniteQueryOptions({
    queryKey: ['campaigns', organisation, 'pages', filter],
    queryFn: ({ pageParam, signal }) =>
      loadPage<CampaignPage>(
        pathOf(organisation),
        { ...filter, ...(pageParam !== null && { cursor: pageParam }) },
        signal,
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ cursor }) => cursor.next,
    placeholderData: keepPreviousData,
  });

/** One campaign with its draft, its live version, and what the person may do with it. */
export async function findCampaign(organisation: number, id: number, signal?: AbortSignal): Promise<CampaignView> {
  const path = `${pathOf(organisation)}/${id}`;
  const { data } = await call<Reply<CampaignView>>('GET', path, { ...(signal && { signal }) });
  return data;
}

export const campaignQuery = (organisation: number, id: number) =>
  queryOptions({
    queryKey: ['campaign', organisation, id],
    queryFn: ({ signal }) => findCampaign(organisation, id, signal),
  });

/** What organisations did with a campaign, the latest first, page by page. */
export const campaignHistoryQuery = (organisation: number, id: number) =>
  infiniteQueryOptions({
    queryKey: ['campaign', organisation, id, 'history'],
    queryFn: ({ pageParam, signal }) =>
      loadPage<{ readonly acts: readonly CampaignEntryView[] }>(
        `${pathOf(organisation)}/${id}/acts`,
        { limit: '100', ...(pageParam !== null && { cursor: pageParam }) },
        signal,
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ cursor }) => cursor.next,
  });

/** An act of the organisation on the revision that the person saw. */
export interface CampaignAct {
  readonly act: ActName;
  readonly reason?: string;
}

interface Target {
  readonly organisation: number;
  readonly id: number;
  readonly revision: number;
}

export const actOnCampaign = ({ organisation, id, revision }: Target, act: CampaignAct) =>
  call<Reply<CampaignView>>('POST', `${pathOf(organisation)}/${id}/acts`, { body: act, revision });

export const deleteCampaign = ({ organisation, id, revision }: Target) =>
  call('DELETE', `${pathOf(organisation)}/${id}`, { revision });

/** Writes the draft. What is not a campaign yet is saved too, and its faults are in the reply. */
export async function saveDraft({ organisation, id, revision }: Target, document: unknown): Promise<CampaignView> {
  const reply = await call<Reply<CampaignView>>('PUT', `${pathOf(organisation)}/${id}`, {
    body: { document },
    revision,
  });
  return reply.data;
}

/** What a new campaign is made from. */
export type NewCampaign =
  | { readonly partnership_uuid: string; readonly document: unknown }
  | { readonly partnership_uuid: string; readonly template_id: number }
  | { readonly campaign_id: number };

/** @param requestId the same for each attempt: a repeated request creates no second campaign */
export async function createCampaign(
  organisation: number,
  from: NewCampaign,
  requestId: string,
): Promise<CampaignView> {
  const { data } = await call<Reply<CampaignView>>('POST', pathOf(organisation), {
    body: { ...from, request_id: requestId },
  });
  return data;
}
