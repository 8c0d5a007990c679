import * as z from 'zod/mini';
import type { AnyContract } from '../contracts/contract.ts';
import { defaultPageItems, maximumCharacters, validityMs } from '../contracts/limits.ts';
import type { Runtime } from '../runtime/runtime.ts';
import type { PlatformKeys } from '../store/organisation/platform-keys.ts';
import type { ListPage, PageRange, Position } from '../store/table/list-page.ts';
import type { OrganisationCaller } from './caller.ts';
import { type CursorLock, openCursor, sealCursor } from './cursor.ts';
import { sealIvBytes } from './sealed-text.ts';
import { invalidRequest } from './validation.ts';

/** What every list takes and gives alike (docs/gaps.md, "Endpoints"). */

/** The query parameters of a list, beside those that say what is wanted of it. */
export const pageQuery = {
  /** Items on a page: 1 to 100. */
  limit: z._default(
    z.pipe(
      z.string().check(z.regex(/^([1-9]\d?|100)$/, { error: 'is not a whole number from 1 to 100' })),
      z.transform(Number),
    ),
    defaultPageItems,
  ),
  /** A cursor of an earlier reply to the same query. */
  cursor: z.optional(z.string().check(z.maxLength(maximumCharacters.cursor))),
};

/** The ways on and back; null where there is none. */
export const Cursors = z.object({ next: z.nullable(z.string()), prev: z.nullable(z.string()) });
export type Cursors = z.infer<typeof Cursors>;

/** The reply of an endpoint whose envelope is `list`: the data with the cursors beside it. */
export const listReply = <Data extends z.ZodMiniObject>(data: Data) => z.object({ data, cursor: Cursors });

/** The parts of a call that paging needs. */
interface PagedCall {
  readonly caller: OrganisationCaller;
  readonly platform: Runtime & { readonly platformKeys: PlatformKeys };
  readonly query: { readonly limit: number; readonly cursor?: string | undefined };
}

/** The pages of one list, as one organisation asks for it. */
export interface Paging {
  /** @throws RequestRefusedError when the cursor is not one of this list */
  readonly range: () => Promise<PageRange>;
  readonly cursors: (page: Pick<ListPage<unknown>, 'next' | 'prev'>) => Promise<Cursors>;
}

/**
 * The paging of a call. Its cursors are good for the same limit and filters only: with others they would
 * lead into the middle of another list. The platform's key is read when a cursor is made or given.
 */
export function pagingOf(
  contract: AnyContract,
  { caller, platform, query }: PagedCall,
  filters: readonly unknown[] = [],
): Paging {
  const lock = async (): Promise<CursorLock> => ({
    platformKey: await platform.platformKeys.of('cursor'),
    organisationId: caller.organisationId,
    list: JSON.stringify([contract.host, contract.name, query.limit, ...filters]),
  });
  const seal = async (position: Position | null): Promise<string | null> => {
    if (position === null) return null;
    const expiresAt = new Date(platform.now().getTime() + validityMs.cursor);
    return sealCursor(await lock(), { ...position, expiresAt }, platform.random(sealIvBytes));
  };

  return {
    range: async () => {
      const { limit, cursor } = query;
      if (cursor === undefined) return { limit };
      const position = openCursor(await lock(), cursor, platform.now());
      if (!position) throw invalidRequest(contract, [notOfThisList]);
      return { limit, position };
    },
    cursors: async ({ next, prev }) => {
      const [nextCursor, prevCursor] = await Promise.all([seal(next), seal(prev)]);
      return { next: nextCursor, prev: prevCursor };
    },
  };
}

const notOfThisList = {
  pointer: '/cursor',
  code: 'invalid_cursor',
  message: 'is not a cursor of this list and query, or is older than 24 hours',
};
