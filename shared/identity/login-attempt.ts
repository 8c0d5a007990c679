import { hkdfSync } from 'node:crypto';
import * as z from 'zod/mini';
import { validityMs } from '../contracts/limits.ts';
import { openText, type Seal, sealIvBytes, sealText } from '../store/credential/sealed-text.ts';
import type { ValidKeys } from '../store/organisation/platform-keys.ts';

/**
 * One sign-in that a browser has begun. It travels in a cookie of that browser, sealed, so the return from the issuer is
 * worth nothing in another browser.
 */
export const LoginAttempt = z.object({
  /** Returned by the issuer in the callback. */
  state: z.string(),
  /** Returned by the issuer in the ID token. */
  nonce: z.string(),
  /** The secret of PKCE. */
  verifier: z.string(),
  /** The path of the dashboard to which the person returns. */
  returnPath: z.string(),
  /** Whether the person has to prove who they are, even if the issuer remembers them. */
  reauthenticates: z.boolean(),
  /** Milliseconds since 1970. */
  begunAtMs: z.int(),
});
export type LoginAttempt = z.infer<typeof LoginAttempt>;

const secretBytes = 32;

interface AttemptSources {
  readonly now: () => Date;
  readonly random: (bytes: number) => Uint8Array;
}

/** Begins a sign-in with new secrets. */
export function beginAttempt(
  { returnPath, reauthenticates }: Pick<LoginAttempt, 'returnPath' | 'reauthenticates'>,
  { now, random }: AttemptSources,
): LoginAttempt {
  const secret = () => Buffer.from(random(secretBytes)).toString('base64url');
  const secrets = { state: secret(), nonce: secret(), verifier: secret() };
  return { ...secrets, returnPath, reauthenticates, begunAtMs: now().getTime() };
}

/** Seals an attempt for its cookie. */
export function sealAttempt(attempt: LoginAttempt, { seals }: ValidKeys, { random }: AttemptSources): string {
  return sealText(sealWith(seals), JSON.stringify(attempt), random(sealIvBytes));
}

/** Opens the attempt of a cookie; undefined if the platform has not sealed it, or its time is over. */
export function openAttempt(
  sealed: string | undefined,
  { open }: ValidKeys,
  { now }: Pick<AttemptSources, 'now'>,
): LoginAttempt | undefined {
  if (sealed === undefined) return undefined;
  const text = open.map((key) => openText(sealWith(key), sealed)).find((found) => found !== undefined);
  if (text === undefined) return undefined;
  const attempt = LoginAttempt.parse(JSON.parse(text));
  return now().getTime() < attempt.begunAtMs + validityMs.login ? attempt : undefined;
}

const sealWith = (platformKey: Uint8Array): Seal => ({
  key: new Uint8Array(hkdfSync('sha256', platformKey, '', 'rewards/login', 32)),
  binding: 'login',
});
