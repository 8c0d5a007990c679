import type { Adapter, AdapterPayload } from 'oidc-provider';

/** What the pool's server keeps: sessions, codes and interactions. They end with the process. */
export type PoolItems = Map<string, AdapterPayload>;

/** The items of one model of the library, in memory. The library itself checks whether an item has expired. */
export class PoolStorage implements Adapter {
  readonly #model: string;
  readonly #items: PoolItems;

  constructor(model: string, items: PoolItems) {
    this.#model = model;
    this.#items = items;
  }

  async upsert(id: string, payload: AdapterPayload): Promise<void> {
    this.#items.set(this.#key(id), payload);
  }

  async find(id: string): Promise<AdapterPayload | undefined> {
    return this.#items.get(this.#key(id));
  }

  findByUid(uid: string): Promise<AdapterPayload | undefined> {
    return this.#findBy('uid', uid);
  }

  findByUserCode(userCode: string): Promise<AdapterPayload | undefined> {
    return this.#findBy('userCode', userCode);
  }

  async consume(id: string): Promise<void> {
    const item = this.#items.get(this.#key(id));
    if (item) item.consumed = Math.floor(Date.now() / 1_000);
  }

  async destroy(id: string): Promise<void> {
    this.#items.delete(this.#key(id));
  }

  async revokeByGrantId(grantId: string): Promise<void> {
    for (const [key, item] of this.#items) if (item.grantId === grantId) this.#items.delete(key);
  }

  #key(id: string): string {
    return `${this.#model}:${id}`;
  }

  async #findBy(name: 'uid' | 'userCode', value: string): Promise<AdapterPayload | undefined> {
    const own = [...this.#items].find(([key, item]) => key.startsWith(`${this.#model}:`) && item[name] === value);
    return own?.[1];
  }
}
