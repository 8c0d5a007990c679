import { hkdfSync } from 'node:crypto';
import * as z from 'zod/mini';
import type { AnyContract } from '../contracts/contract.ts';
import { described } from '../contracts/described.ts';
import { defaultPageItems, maximumCharacters, maximumCount, validityMs } from '../contracts/limits.ts';
import { InvalidInputError } from '../domain/errors.ts';
import type { Deps } from '../operations/operation.ts';
import { openText, type Seal, sealIvBytes, sealText } from '../store/credential/sealed-text.ts';
import type { PlatformKeys, ValidKeys } from '../store/organisation/platform-keys.ts';
import type { ListPage, PageRange, Position } from '../store/table/list-page.ts';
import type { OrganisationCaller } from './request.ts';

const pageSizes = new RegExp(
  `^(${Array.from({ length: maximumCount.pageItems }, (_, index) => index + 1).join('|')})$`,
);

/** The query parameters that every list has (docs/gaps.md, "Endpoints"). */
export const pageQuery = {
  limit: described(
    'Items on a page.',
    z._default(
      z.pipe(
        z.string().check(z.regex(pageSizes, { error: `is not a whole number from 1 to ${maximumCount.pageItems}` })),
        z.transform(Number),
      ),
      defaultPageItems,
    ),
  ),
  cursor: described(
    'The cursors of the next and the previous page. As a parameter, one of them.',
    z.optional(z.string().check(z.maxLength(maximumCharacters.cursor))),
  ),
};

/** The cursors of the next and the previous page; null where there is none. */
export const Cursors = z.object({
  next: described('Cursor of the next page; null on the last page.', z.nullable(z.string())),
  prev: described('Cursor of the previous page; null on the first page.', z.nullable(z.string())),
});
export type Cursors = z.infer<typeof Cursors>;

/** The reply of an endpoint whose envelope is `list`: the data and, next to it, the cursors. */
export const listReply = <Data extends z.ZodMiniObject>(data: Data) =>
  z.object({
    data: described('The result.', data),
    cursor: described('The cursors of the next and the previous page. As a parameter, one of them.', Cursors),
  });

/** The parts of a call that paging needs. */
interface PagedCall {
  readonly caller: Pick<OrganisationCaller, 'organisationId'>;
  readonly deps: Pick<Deps, 'now' | 'random'> & { readonly platformKeys: PlatformKeys };
  readonly query: { readonly limit: number; readonly cursor?: string | undefined };
}

/** The pages of one list for one organisation. */
export interface Paging {
  /** @throws InvalidInputError when the cursor does not belong to this list */
  readonly range: () => Promise<PageRange>;
  readonly cursors: (page: Pick<ListPage<unknown>, 'next' | 'prev'>) => Promise<Cursors>;
}

/**
 * The paging of a call. A cursor is valid only with the same limit and filters: with different ones it would point into
 * a different list. The platform's keys are read only when a cursor is made or opened. While the key is rotated,
 * cursors that were made with the earlier key stay valid.
 */
export function pagingOf(
  contract: AnyContract,
  { caller, deps, query }: PagedCall,
  filters: readonly unknown[] = [],
): Paging {
  const loadKeys = (): Promise<ValidKeys> => deps.platformKeys.validOf('cursor');
  const lockWith = (platformKey: Uint8Array): CursorLock => ({
    platformKey,
    organisationId: caller.organisationId,
    list: JSON.stringify([contract.host, contract.name, query.limit, ...filters]),
  });
  const seal = async (position: Position | null): Promise<string | null> => {
    if (position === null) return null;
    const expiresAt = new Date(deps.now().getTime() + validityMs.cursor);
    const { seals } = await loadKeys();
    return sealCursor(lockWith(seals), { ...position, expiresAt }, deps.random(sealIvBytes));
  };

  return {
    range: async () => {
      const { limit, cursor } = query;
      if (cursor === undefined) return { limit };
      const { open } = await loadKeys();
      const position = open.map((key) => openCursor(lockWith(key), cursor, deps.now())).find((found) => found);
      if (!position) throw new InvalidInputError([invalidCursor]);
      return { limit, position };
    },
    cursors: async ({ next, prev }) => {
      const [nextCursor, prevCursor] = await Promise.all([seal(next), seal(prev)]);
      return { next: nextCursor, prev: prevCursor };
    },
  };
}

const invalidCursor = {
  path: ['cursor'],
  code: 'invalid_cursor',
  message: 'is not a cursor of this list and query, or is older than 24 hours',
};

const CursorContent = z.object({
  towards: z.enum(['next', 'prev']),
  from: z.string(),
  /** Milliseconds since 1970. */
  expiresAtMs: z.int(),
});

/** The key of a list's cursors, and the organisation and list that they are bound to. */
export interface CursorLock {
  readonly platformKey: Uint8Array;
  readonly organisationId: number;
  /** The endpoint, and every query parameter except the cursor. */
  readonly list: string;
}

/** Makes the cursor of a position: opaque text that only the platform can make. `iv` must be random and new. */
export function sealCursor(
  lock: CursorLock,
  { towards, from, expiresAt }: Position & { readonly expiresAt: Date },
  iv: Uint8Array,
): string {
  return sealText(sealFor(lock), JSON.stringify({ towards, from, expiresAtMs: expiresAt.getTime() }), iv);
}

/** Returns the position of a cursor; undefined if it belongs to another list, was changed, or has expired. */
export function openCursor(lock: CursorLock, cursor: string, now: Date): Position | undefined {
  const content = openText(sealFor(lock), cursor);
  if (content === undefined) return undefined;
  const { expiresAtMs, ...position } = CursorContent.parse(JSON.parse(content));
  return now.getTime() < expiresAtMs ? position : undefined;
}

/**
 * Each organisation has its own key, because a key should be used with at most 2^32 random initialization vectors (NIST
 * SP 800-38D).
 */
function sealFor({ platformKey, organisationId, list }: CursorLock): Seal {
  return {
    key: new Uint8Array(hkdfSync('sha256', platformKey, '', `rewards/cursor/${organisationId}`, 32)),
    binding: JSON.stringify([organisationId, list]),
  };
}
