import { queryOptions } from '@tanstack/react-query';
import { call } from './call.ts';
import type { TemplateView } from './types.ts';

const pathOf = (organisation: number) => `/organisations/${organisation}/templates`;

/** The organisation's own templates, and those that the platform offers. */
export const templatesQuery = (organisation: number) =>
  queryOptions({
    queryKey: ['templates', organisation],
    queryFn: async ({ signal }) => {
      const { data } = await call<{ readonly data: readonly TemplateView[] }>('GET', pathOf(organisation), { signal });
      return data;
    },
  });

export const createTemplate = (organisation: number, template: { readonly campaign: number; readonly name: string }) =>
  call('POST', pathOf(organisation), { body: template });

export const deleteTemplate = (organisation: number, id: number) => call('DELETE', `${pathOf(organisation)}/${id}`);
