import { call } from './call.ts';

/** One page of a list, and where the next one begins. */
export interface ListPage<Data> {
  readonly data: Data;
  readonly cursor: { readonly next: string | null };
}

/** Loads one page of a list. */
export function loadPage<Data>(
  path: string,
  query: Readonly<Record<string, string>>,
  signal?: AbortSignal,
): Promise<ListPage<Data>> {
  return call('GET', `${path}?${new URLSearchParams(query)}`, { ...(signal && { signal }) });
}

/** Loads all pages of a list, one after the other. For lists that people read whole. */
export async function loadPages<Data>(
  path: string,
  signal?: AbortSignal,
  query: Readonly<Record<string, string>> = {},
): Promise<Data[]> {
  const pages: Data[] = [];
  let cursor: string | null = null;
  do {
    const page: ListPage<Data> = await loadPage<Data>(path, { ...query, ...(cursor !== null && { cursor }) }, signal);
    pages.push(page.data);
    cursor = page.cursor.next;
  } while (cursor !== null);
  return pages;
}
