import * as z from 'zod/mini';
import { maximumAttempts } from '../../contracts/limits.ts';
import { Attributes, Location } from '../member/member.ts';
import type { Partnership } from '../partnership.ts';

/** The person whom a merchant sends to the connect flow, as the merchant describes this person. */
export const ConnectingUser = z.object({
  externalId: z.optional(z.string()),
  email: z.optional(z.string()),
  firstName: z.optional(z.string()),
  lastName: z.optional(z.string()),
  phoneNumber: z.optional(z.string()),
  /** The merchant's own id of the member who referred this person. */
  referrerExternalId: z.optional(z.string()),
  location: z.optional(Location),
  attributes: z.optional(Attributes),
});
export type ConnectingUser = z.infer<typeof ConnectingUser>;

/** One run of the connect flow, which a merchant started for one person. */
export const ConnectSession = z.object({
  /** SHA-256 of the connect token, hex. */
  digest: z.string(),
  organisationId: z.int(),
  /** The partnership under which an account may be linked; null allows every partnership of the merchant. */
  partnershipUuid: z.nullable(z.string()),
  redirectUri: z.nullable(z.string()),
  state: z.nullable(z.string()),
  codeChallenge: z.nullable(z.string()),
  user: ConnectingUser,
  attempts: z.int(),
  isUsed: z.boolean(),
  createdAt: z.string(),
  expiresAt: z.string(),
});
export type ConnectSession = z.infer<typeof ConnectSession>;

/** Whether a session can lead to a link at `now`. */
export function isOpen(session: ConnectSession, now: Date): boolean {
  return (
    !session.isUsed && session.attempts < maximumAttempts.connectProof && now.getTime() < Date.parse(session.expiresAt)
  );
}

/**
 * Whether a session may link accounts under a partnership. A session that names a partnership may link only under this
 * partnership. Other sessions may link under every active partnership.
 */
export function isLinkable(
  { uuid, isActive }: Partnership,
  { partnershipUuid }: Pick<ConnectSession, 'partnershipUuid'>,
): boolean {
  return isActive && (partnershipUuid === null || uuid === partnershipUuid);
}

/**
 * The address at which the person returns to the merchant. It contains the state that the merchant sent, and the code
 * or the reason why there is none (RFC 6749, 4.1.2). Null when the session has no redirect URI.
 */
export function returnUri(
  { redirectUri, state }: Pick<ConnectSession, 'redirectUri' | 'state'>,
  result: { readonly code: string } | { readonly error: 'access_denied' },
): string | null {
  if (redirectUri === null) return null;
  const url = new URL(redirectUri);
  for (const [name, value] of Object.entries(result)) url.searchParams.set(name, value);
  if (state !== null) url.searchParams.set('state', state);
  return url.href;
}
