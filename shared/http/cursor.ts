import { hkdfSync } from 'node:crypto';
import * as z from 'zod/mini';
import type { Position } from '../store/table/list-page.ts';
import { openText, type Seal, sealText } from './sealed-text.ts';

/**
 * Cursors: where a page begins, as text that says nothing to its holder and that only the platform can
 * make. One is good for the organisation, the list and the query that it was given out for, and for a day.
 */

const Content = z.object({
  towards: z.enum(['next', 'prev']),
  from: z.string(),
  /** Milliseconds since 1970. */
  expiresAtMs: z.int(),
});

/** What cursors of one list are made with, and what they are bound to. */
export interface CursorLock {
  readonly platformKey: Uint8Array;
  readonly organisationId: number;
  /** The endpoint and all of the query but the cursor itself. */
  readonly list: string;
}

/** The cursor of a position. The initialisation vector must be random and new. */
export function sealCursor(
  lock: CursorLock,
  { towards, from, expiresAt }: Position & { readonly expiresAt: Date },
  iv: Uint8Array,
): string {
  return sealText(sealOf(lock), JSON.stringify({ towards, from, expiresAtMs: expiresAt.getTime() }), iv);
}

/** The position of a cursor; undefined when it is not one of this list, was changed, or has expired. */
export function openCursor(lock: CursorLock, cursor: string, now: Date): Position | undefined {
  const content = openText(sealOf(lock), cursor);
  if (content === undefined) return undefined;
  const { expiresAtMs, ...position } = Content.parse(JSON.parse(content));
  return now.getTime() < expiresAtMs ? position : undefined;
}

/** A key of each organisation's own: random vectors of one key should not be more than 2^32 (NIST SP 800-38D). */
function sealOf({ platformKey, organisationId, list }: CursorLock): Seal {
  return {
    key: new Uint8Array(hkdfSync('sha256', platformKey, '', `rewards/cursor/${organisationId}`, 32)),
    binding: JSON.stringify([organisationId, list]),
  };
}
