import { createCipheriv, createDecipheriv, hkdfSync } from 'node:crypto';
import * as z from 'zod/mini';
import type { Position } from '../store/list-page.ts';

/**
 * Cursors: where a page begins, as text that says nothing to its holder and that only the platform can
 * make. One is good for the organisation, the list and the query that it was given out for, and for a day.
 */

const algorithm = 'aes-256-gcm';
export const cursorIvBytes = 12;
const tagBytes = 16;

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
  const cipher = createCipheriv(algorithm, keyOf(lock), iv, { authTagLength: tagBytes }).setAAD(bindingOf(lock));
  const content = JSON.stringify({ towards, from, expiresAtMs: expiresAt.getTime() });
  const sealed = Buffer.concat([cipher.update(content, 'utf8'), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64url');
}

/** The position of a cursor; undefined when it is not one of this list, was changed, or has expired. */
export function openCursor(lock: CursorLock, cursor: string, now: Date): Position | undefined {
  const bytes = Buffer.from(cursor, 'base64url');
  // Decoding forgives what does not belong there; a cursor is good as it was given out or not at all.
  if (bytes.toString('base64url') !== cursor || bytes.length <= cursorIvBytes + tagBytes) return undefined;

  const content = decrypted(lock, bytes);
  if (content === undefined) return undefined;
  const { expiresAtMs, ...position } = Content.parse(JSON.parse(content));
  return now.getTime() < expiresAtMs ? position : undefined;
}

function decrypted(lock: CursorLock, bytes: Buffer): string | undefined {
  const iv = bytes.subarray(0, cursorIvBytes);
  const tag = bytes.subarray(cursorIvBytes, cursorIvBytes + tagBytes);
  const decipher = createDecipheriv(algorithm, keyOf(lock), iv, { authTagLength: tagBytes })
    .setAAD(bindingOf(lock))
    .setAuthTag(tag);
  try {
    const content = Buffer.concat([decipher.update(bytes.subarray(cursorIvBytes + tagBytes)), decipher.final()]);
    return content.toString('utf8');
  } catch {
    // The one thing that final() says of a text that is not authentic.
    return undefined;
  }
}

/** A key of each organisation's own: random vectors of one key should not be more than 2^32 (NIST SP 800-38D). */
function keyOf({ platformKey, organisationId }: CursorLock): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', platformKey, '', `rewards/cursor/${organisationId}`, 32));
}

function bindingOf({ organisationId, list }: CursorLock): Buffer {
  return Buffer.from(JSON.stringify([organisationId, list]));
}
