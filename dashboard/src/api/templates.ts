import { queryOptions } from '@tanstack/react-query';
import { call } from './call.ts';
import { loadPages } from './load-pages.ts';
import type { TemplateView } from './types.ts';

const pathOf = (organisation: number) => `/organisations/${organisation}/templates`;

/** The organisation's own templates, and those that the platform offers. */
export const templatesQuery = (organisation: number) =>
  queryOptions({
    queryKey: ['templates', organisation],
    queryFn: async ({ signal }) => {
      const pages = await loadPages<{ readonly templates: readonly TemplateView[] }>(pathOf(organisation), signal);
      return pages.flatMap(({ templates }) => templates);
    },
  });

/** Keeps a campaign as a template of the same name. */
export const createTemplate = (organisation: number, campaign: number) =>
  call('POST', pathOf(organisation), { body: { campaign_id: campaign } });

export const deleteTemplate = (organisation: number, id: number) => call('DELETE', `${pathOf(organisation)}/${id}`);
