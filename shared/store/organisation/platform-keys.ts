import * as z from 'zod/mini';
import { partitions } from '../../contracts/table.ts';
import { ConditionFailedError, defineEntity, isNew, Repository, type TableClient } from '../table/table-client.ts';

const PlatformKey = z.object({ secret: z.base64(), createdAt: z.string() });
const keys = defineEntity(PlatformKey, (purpose: string) => ({ pk: `${partitions.platformKey}${purpose}`, sk: 'KEY' }));

const keyBytes = 32;

/** The sources of a new key. */
interface KeySources {
  readonly now: () => Date;
  readonly random: (bytes: number) => Uint8Array;
}

/** The platform's own secret keys, one for each purpose. The first use makes a key. */
export class PlatformKeys extends Repository {
  readonly #sources: KeySources;
  readonly #known = new Map<string, Promise<Uint8Array>>();

  constructor(table: TableClient, sources: KeySources) {
    super(table);
    this.#sources = sources;
  }

  /** The 32 bytes of a purpose's key, always the same. The bytes are read once and then kept in memory. */
  async of(purpose: string): Promise<Uint8Array> {
    const known = this.#known.get(purpose) ?? this.#findOrMake(purpose);
    this.#known.set(purpose, known);
    try {
      return await known;
    } catch (error) {
      // A failed read is not cached: the next request reads again.
      this.#known.delete(purpose);
      throw error;
    }
  }

  async #findOrMake(purpose: string): Promise<Uint8Array> {
    const key = keys.key(purpose);
    const item = (await this.table.get(key)) ?? (await this.#make(purpose));
    return Buffer.from(keys.parse(item).secret, 'base64');
  }

  /**
   * Writes the first key. If several requests do it at the same time, one of them writes its key, and all return this
   * key.
   */
  async #make(purpose: string) {
    const secret = Buffer.from(this.#sources.random(keyBytes)).toString('base64');
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
