import { getRouteApi } from '@tanstack/react-router';
import type { Filters } from './filters.ts';

const route = getRouteApi('/$organisation/campaigns/');

/** The filters of the address, and a way to change them. Typing does not fill the history of the browser. */
export function useFilters(): readonly [Filters, (filters: Filters) => void] {
  const filters = route.useSearch();
  const navigate = route.useNavigate();
  return [filters, (next) => navigate({ search: next, replace: true })];
}
