import { cacheAgeMs } from '../../contracts/limits.ts';
import { partitions } from '../../contracts/table.ts';
import { cache } from '../../domain/memoize.ts';
import { PlatformKey, secretsAt } from '../../domain/platform-key.ts';
import {
  type Condition,
  ConditionFailedError,
  defineEntity,
  isNew,
  Repository,
  type TableClient,
  type Write,
} from '../table/table-client.ts';

const keys = defineEntity(PlatformKey, (purpose: string) => ({ pk: `${partitions.platformKey}${purpose}`, sk: 'KEY' }));

/** The number of random bytes in a key. */
export const platformKeyBytes = 32;

/** The sources of a new key. */
interface KeySources {
  readonly now: () => Date;
  readonly random: (bytes: number) => Uint8Array;
}

/** The keys of a purpose that are valid now. */
export interface ValidKeys {
  /** The key that seals. */
  readonly seals: Uint8Array;
  /** The keys that open what was sealed. There are two while the key is rotated, else one. */
  readonly open: readonly Uint8Array[];
}

/** The platform's own secret keys, one for each purpose. The first use makes a key. */
export class PlatformKeys extends Repository {
  readonly #sources: KeySources;
  readonly #recent: (purpose: string) => Promise<PlatformKey>;

  constructor(table: TableClient, sources: KeySources) {
    super(table);
    this.#sources = sources;
    this.#recent = cache((purpose) => this.#findOrMake(purpose), {
      maximumAgeMs: cacheAgeMs.platformKey,
      now: sources.now,
    });
  }

  /** The 32 bytes of the key that a purpose uses now. */
  async of(purpose: string): Promise<Uint8Array> {
    return (await this.validOf(purpose)).seals;
  }

  /** The keys of a purpose. They are kept in memory for a short time (`cacheAgeMs`). */
  async validOf(purpose: string): Promise<ValidKeys> {
    const now = this.#sources.now();
    const { seals, open } = secretsAt(await this.#recent(purpose), now);
    return { seals: bytesOf(seals), open: open.map(bytesOf) };
  }

  /** The key of a purpose as it is in the table; undefined before its first use. */
  async find(purpose: string): Promise<PlatformKey | undefined> {
    const item = await this.table.get(keys.key(purpose));
    return item && keys.parse(item);
  }

  async #findOrMake(purpose: string): Promise<PlatformKey> {
    return (await this.find(purpose)) ?? keys.parse(await this.#make(purpose));
  }

  /**
   * Writes the first key. If several requests do it at the same time, one of them writes its key, and all return this
   * key.
   */
  async #make(purpose: string) {
    const secret = Buffer.from(this.#sources.random(platformKeyBytes)).toString('base64');
    const item = keys.item(keys.key(purpose), { secret, createdAt: this.#sources.now().toISOString() });
    try {
      await this.table.write({ kind: 'put', item, when: isNew });
      return item;
    } catch (error) {
      const found = error instanceof ConditionFailedError ? error.found.get(0) : undefined;
      if (!found) throw error;
      return found;
    }
  }
}

/** The write of a changed key, on the condition that nobody else has changed the key meanwhile. */
export function changedPlatformKeyWrite(purpose: string, before: PlatformKey, changed: PlatformKey): Write {
  const isUnchanged: readonly Condition[] = [
    { attribute: 'secret', is: '=', value: before.secret },
    { attribute: 'next', is: before.next ? 'present' : 'absent' },
  ];
  return { kind: 'put', item: keys.item(keys.key(purpose), changed), when: isUnchanged };
}

const bytesOf = (secret: string): Uint8Array => Buffer.from(secret, 'base64');
