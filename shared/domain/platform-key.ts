import * as z from 'zod/mini';
import { cacheAgeMs, validityMs } from '../contracts/limits.ts';

/** The purposes for which the platform has a secret key. If a key is never rotated, `neverRotated` says why. */
export const platformKeyPurposes: Readonly<Record<string, { readonly neverRotated?: string }>> = {
  cursor: {},
  login: {},
  'payment-emails': {
    neverRotated: 'the hashes of e-mail addresses are made with it, and a new key finds no customer',
  },
};

/**
 * A secret key of the platform, and the key that replaces it. The earlier key seals only until `sealsFrom`. By then
 * every function has read the new key: none keeps a key for longer than `cacheAgeMs.platformKey`. Until `earlierUntil`,
 * the earlier key still opens what it sealed.
 */
export const PlatformKey = z.object({
  secret: z.base64(),
  createdAt: z.string(),
  next: z.optional(
    z.object({ secret: z.base64(), createdAt: z.string(), sealsFrom: z.string(), earlierUntil: z.string() }),
  ),
});
export type PlatformKey = z.infer<typeof PlatformKey>;

/** The secrets that are valid at a time. */
export interface ValidSecrets {
  /** The secret that seals. */
  readonly seals: string;
  /** The secrets that open. */
  readonly open: readonly string[];
}

/** Returns the secrets of a key that are valid at `now`. */
export function secretsAt({ secret, next }: PlatformKey, now: Date): ValidSecrets {
  if (!next) return { seals: secret, open: [secret] };
  const isOver = now >= new Date(next.earlierUntil);
  const seals = now >= new Date(next.sealsFrom) ? next.secret : secret;
  return { seals, open: isOver ? [next.secret] : [next.secret, secret] };
}

/**
 * Returns the key with a new secret that will replace its present one; undefined while an earlier replacement is in
 * progress.
 */
export function rotateKey(key: PlatformKey, secret: string, now: Date): PlatformKey | undefined {
  if (secretsAt(key, now).open.length > 1) return undefined;
  const { secret: current, createdAt } = key.next ?? key;
  // Twice the age, because the clocks of functions differ, and a function may have begun to read the key before this
  // change.
  const sealsFrom = new Date(now.getTime() + 2 * cacheAgeMs.platformKey);
  const earlierUntil = new Date(sealsFrom.getTime() + validityMs.cursor + 2 * cacheAgeMs.platformKey);
  return {
    secret: current,
    createdAt,
    next: {
      secret,
      createdAt: now.toISOString(),
      sealsFrom: sealsFrom.toISOString(),
      earlierUntil: earlierUntil.toISOString(),
    },
  };
}

/** Returns the key without its earlier secret; undefined when it has no earlier one. */
export function dropEarlierSecret({ next }: PlatformKey): PlatformKey | undefined {
  return next && { secret: next.secret, createdAt: next.createdAt };
}
