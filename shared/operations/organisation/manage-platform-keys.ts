import { dropEarlierSecret, type PlatformKey, platformKeyPurposes, rotateKey } from '../../domain/platform-key.ts';
import { changedPlatformKeyWrite, PlatformKeys, platformKeyBytes } from '../../store/organisation/platform-keys.ts';
import { ChangedMeanwhileError, OperationError } from '../errors.ts';
import { type AuditedDeps, writeAudited } from '../write-audited.ts';

const managePlatformKeysStores = { platformKeys: PlatformKeys };
type KeyDeps = AuditedDeps<typeof managePlatformKeysStores>;

/** A key of the platform with its purpose; no key before its first use. */
export interface NamedKey {
  readonly purpose: string;
  readonly key: PlatformKey | undefined;
}

/** The key cannot be changed like this. The message says why. */
export class UnusableKeyChangeError extends OperationError {
  override readonly name = 'UnusableKeyChangeError';
}

/** Every key of the platform. */
export function listPlatformKeys({ platformKeys }: KeyDeps): Promise<NamedKey[]> {
  return Promise.all(
    Object.keys(platformKeyPurposes).map(async (purpose) => ({ purpose, key: await platformKeys.find(purpose) })),
  );
}

/**
 * Begins to replace a key of the platform by a new one. What the earlier key sealed stays valid as long as usual. Then
 * the earlier key ends by itself.
 *
 * @throws UnusableKeyChangeError when the key must not be rotated, was not used yet, or is already being rotated
 */
export async function rotatePlatformKey(purpose: string, deps: KeyDeps): Promise<PlatformKey> {
  return change(
    purpose,
    (key) => {
      const rotated = rotateKey(key, Buffer.from(deps.random(platformKeyBytes)).toString('base64'), deps.now());
      if (rotated) return rotated;
      throw new UnusableKeyChangeError(
        `the key ${purpose} is being rotated until ${key.next?.earlierUntil}: platform-key retire ${purpose} ends this at once`,
      );
    },
    `began to rotate the platform key ${purpose}`,
    deps,
  );
}

/**
 * Ends the rotation of a key at once: what the earlier key sealed is no longer valid.
 *
 * @throws UnusableKeyChangeError when the key must not be rotated, was not used yet, or is not being rotated
 */
export function retirePlatformKey(purpose: string, deps: KeyDeps): Promise<PlatformKey> {
  return change(
    purpose,
    (key) => {
      const changed = dropEarlierSecret(key);
      if (changed) return changed;
      throw new UnusableKeyChangeError(
        `the key ${purpose} has no earlier key: begin with platform-key rotate ${purpose}`,
      );
    },
    `retired the earlier platform key ${purpose}`,
    deps,
  );
}

async function change(
  purpose: string,
  decide: (key: PlatformKey) => PlatformKey,
  what: string,
  deps: KeyDeps,
): Promise<PlatformKey> {
  const reason = platformKeyPurposes[purpose]?.neverRotated;
  if (reason !== undefined) throw new UnusableKeyChangeError(`the key ${purpose} is never rotated: ${reason}`);
  const key = await deps.platformKeys.find(purpose);
  if (!key)
    throw new UnusableKeyChangeError(`the key ${purpose} is not used yet: there is nothing to rotate or retire`);
  const changed = decide(key);
  await writeAudited(
    {
      what,
      change: { before: timesOf(key), after: timesOf(changed) },
      writes: [changedPlatformKeyWrite(purpose, key, changed)],
      conflict: () => new ChangedMeanwhileError({ kind: 'platform key', id: purpose }),
    },
    deps,
  );
  return changed;
}

/** What the audit trail contains of a key: its times, never its secrets. */
function timesOf({ createdAt, next }: PlatformKey) {
  if (!next) return { createdAt };
  return { createdAt, nextAt: next.createdAt, sealsFrom: next.sealsFrom, earlierUntil: next.earlierUntil };
}
