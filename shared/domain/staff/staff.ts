import * as z from 'zod/mini';
import { maximumCharacters, timingMs, validityMs } from '../../contracts/limits.ts';
import { StaffRole } from './roles.ts';

/** Who changed a thing last, and when. */
const LastChanged = z.object({
  /** The id of the person; null for an operator of the platform. */
  changedBy: z.nullable(z.string()),
  changedAt: z.string(),
});

/** The account at an OIDC issuer by which a person signs in. */
export const Identity = z.object({ issuer: z.string(), subject: z.string() });
export type Identity = z.infer<typeof Identity>;

/** A person who works with the dashboard, for any number of organisations. */
export const Staff = z.object({
  /** UUID version 7. */
  id: z.string(),
  /** The verified address, in the form of {@link emailOf}, as the issuer reported it at the last sign-in. */
  email: z.string(),
  /** The name, if the issuer reports one. */
  name: z.nullable(z.string()),
  /** Null after an operator reset the identity, until the person signs in with another one. */
  identity: z.nullable(Identity),
  createdAt: z.string(),
});
export type Staff = z.infer<typeof Staff>;

/** The place of a person in an organisation. */
export const Post = z.object({
  staffId: z.string(),
  organisationId: z.int(),
  /** At least one. */
  roles: z.array(StaffRole),
  createdAt: z.string(),
  /** Counts changes of the roles, from 1. */
  revision: z.int(),
  ...LastChanged.shape,
});
export type Post = z.infer<typeof Post>;

/** The session of a browser in which a person signed in. */
export const Session = z.object({
  /** SHA-256 of the text in the browser's cookie, hex. The text itself is not stored. */
  digest: z.string(),
  staffId: z.string(),
  /** When the person proved the identity to the issuer (`auth_time`). */
  authenticatedAt: z.string(),
  createdAt: z.string(),
  /** When the last request came, with a precision of `timingMs.sessionTouch`. */
  seenAt: z.string(),
});
export type Session = z.infer<typeof Session>;

const after = (instant: string, durationMs: number) => Date.parse(instant) + durationMs;

/** When a session ends if no request comes. */
export const sessionEnd = ({ createdAt, seenAt }: Session): Date =>
  new Date(Math.min(after(createdAt, validityMs.staffSession), after(seenAt, validityMs.idleStaffSession)));

/** Whether a session is over at `now`: it is too old, or was idle for too long. */
export const isSessionOver = (session: Session, now: Date): boolean => now >= sessionEnd(session);

/** Whether a request at `now` has to write that the session is in use. */
export const needsTouch = ({ seenAt }: Session, now: Date): boolean =>
  now.getTime() >= after(seenAt, timingMs.sessionTouch);

/** Whether the person proved the identity so recently that acts are allowed that need it. */
export const isSignInRecent = ({ authenticatedAt }: Session, now: Date): boolean =>
  now.getTime() < after(authenticatedAt, validityMs.recentSignIn);

const emailPattern = /^[^@\s]+@[^@\s]+\.[^@\s.]+$/;

/**
 * Returns the form in which e-mail addresses of staff are compared; undefined when the text is no address. Only letters
 * of ASCII lose their case: `toLowerCase` makes the Kelvin sign a k, and so the address of one person that of another.
 */
export function emailOf(text: string): string | undefined {
  const email = text.trim().replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
  return emailPattern.test(email) && email.length <= maximumCharacters.email ? email : undefined;
}

/** Returns an address of which a reader recognises only an address that the reader knows: `a•••@corner.example`. */
export function maskEmail(email: string): string {
  const at = email.lastIndexOf('@');
  return `${email.slice(0, 1)}•••${email.slice(at)}`;
}
