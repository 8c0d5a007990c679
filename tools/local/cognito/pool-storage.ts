import type { Adapter, AdapterPayload } from 'oidc-provider';

/** What the pool's server keeps: sessions, codes and interactions. They end with the process. */
export type PoolItems = Map<string, AdapterPayload>;

/**
 * The items of one model of the library, in memory. The library itself checks whether an item has expired. An item of an
 * account that was deleted is not found any more.
 */
export class PoolStorage implements Adapter {
  readonly #model: string;
  readonly #items: PoolItems;
  readonly #hasAccount: (id: string) => boolean;

  constructor(model: string, items: PoolItems, hasAccount: (id: string) => boolean) {
    this.#model = model;
    this.#items = items;
    this.#hasAccount = hasAccount;
  }

  async upsert(id: string, payload: AdapterPayload): Promise<void> {
    this.#items.set(this.#key(id), payload);
  }

  async find(id: string): Promise<AdapterPayload | undefined> {
    return this.#existing(this.#items.get(this.#key(id)));
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
    return this.#existing(own?.[1]);
  }

  #existing(item: AdapterPayload | undefined): AdapterPayload | undefined {
    return item?.accountId === undefined || this.#hasAccount(item.accountId) ? item : undefined;
  }
}
