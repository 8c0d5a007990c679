import { queryOptions } from '@tanstack/react-query';
import { call } from './call.ts';
import { loadPages } from './load-pages.ts';
import type { ActName, CampaignSummary, CampaignView } from './types.ts';

interface Reply<Data> {
  readonly data: Data;
}

const pathOf = (organisation: number) => `/organisations/${organisation}/campaigns`;

/** The campaigns of an organisation that are not deleted, newest first. */
export const campaignsQuery = (organisation: number) =>
  queryOptions({
    queryKey: ['campaigns', organisation],
    queryFn: async ({ signal }) => {
      const pages = await loadPages<{ readonly campaigns: readonly CampaignSummary[] }>(pathOf(organisation), signal);
      return pages.flatMap(({ campaigns }) => campaigns);
    },
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
