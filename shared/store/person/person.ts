import { partitions } from '../../contracts/table.ts';
import type { ErasedUser, Traces } from '../../domain/member/member.ts';
import type { Item } from '../table/table-client.ts';

/** An attribute of a stored value; undefined when the value is no map. */
export function attributeOf(value: unknown, name: string): unknown {
  return isMap(value) ? value[name] : undefined;
}

const isMap = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

/** The text of an attribute; undefined when it is absent, empty or no text. */
export function textIn(value: unknown, name: string): string | undefined {
  const text = attributeOf(value, name);
  return typeof text === 'string' && text !== '' ? text : undefined;
}

/** The part of a partition key after its prefix. */
export const afterPrefix = ({ pk }: Item): string => pk.slice(pk.indexOf('#') + 1);

/**
 * A person, as the ids and texts by which the person's items in the table are found. They are learned from the items
 * that contain the user's id. After one reading of the whole table, they identify every other item of the person.
 */
export class Person {
  readonly userId: number;
  readonly userUuid: string;
  /** The ids of the user, and of users who were merged into it. */
  readonly #userIds: Set<number>;
  readonly #merged: { readonly from: number; readonly into: unknown; readonly uuid: string }[] = [];
  readonly #traces: { readonly [Name in keyof Traces]: Set<string> };
  /**
   * External ids that other users have now: a merchant's id for a customer becomes free when the customer is detached.
   */
  readonly #othersIds = new Set<string>();
  /** The ids of reward transactions. */
  readonly transactionIds = new Set<number>();
  /**
   * The ids that events and refunds refer to: UUIDs of the user, and of orders, payments, transactions and trigger
   * events, and the ids of accounts.
   */
  readonly entityIds: Set<string>;

  constructor({ userId, userUuid, traces }: Pick<ErasedUser, 'userId' | 'userUuid' | 'traces'>) {
    this.userId = userId;
    this.userUuid = userUuid;
    this.#userIds = new Set([userId]);
    this.entityIds = new Set([userUuid]);
    this.#traces = {
      texts: new Set(traces?.texts),
      externalIds: new Set(traces?.externalIds),
      grantIds: new Set(traces?.grantIds),
      customers: new Set(traces?.customers),
    };
  }

  /** Names, e-mail addresses and phone numbers, the longest first. */
  get texts(): string[] {
    return [...this.#traces.texts].toSorted((one, other) => other.length - one.length);
  }

  /** The ids of the person at merchants, and account numbers, as `<organisation>#<id>`. */
  get externalIds(): ReadonlySet<string> {
    return new Set([...this.#traces.externalIds].filter((id) => !this.#othersIds.has(id)));
  }

  /** The ids of the person as a customer at payment platforms, as `<platform>#<account>#<customer>`. */
  get customers(): ReadonlySet<string> {
    return this.#traces.customers;
  }

  get traces(): Traces {
    const { texts, externalIds, grantIds, customers } = this.#traces;
    return {
      ...{ texts: [...texts], externalIds: [...externalIds] },
      ...{ grantIds: [...grantIds], customers: [...customers] },
    };
  }

  /** Whether an organisation uses an id for the person. */
  hasExternalId(organisationId: unknown, externalId: unknown): boolean {
    return this.externalIds.has(`${organisationId}#${externalId}`);
  }

  hasGrant(grantId: string): boolean {
    return this.#traces.grantIds.has(grantId);
  }

  hasEmail(email: string | undefined): boolean {
    return [...this.#traces.texts].some((one) => one.toLowerCase() === email?.toLowerCase());
  }

  /** The ids of the user, and of users who were merged into it. */
  get userIds(): readonly number[] {
    return [...this.#userIds];
  }

  /** Whether an item contains the id of the user. */
  owns({ pk, userId }: Item): boolean {
    return this.userIds.some((id) => userId === id || pk === `${partitions.user}${id}`);
  }

  /** Whether an item contains the id of another user. */
  isOfAnother({ userId }: Item): boolean {
    return typeof userId === 'number' && !this.#userIds.has(userId);
  }

  /** Learns from an item. Items that do not contain the id of the user show only which ids belong to other users. */
  learn(item: Item): void {
    if (item.sk === 'MERGED' && typeof item.userId === 'number') {
      this.#merged.push({ from: item.userId, into: item.mergedInto, uuid: textIn(item, 'userUuid') ?? '' });
      this.#learnFromMerges();
    }
    if (item.pk.startsWith(partitions.externalUser) && this.isOfAnother(item)) this.#othersIds.add(afterPrefix(item));
    if (!this.owns(item)) return;
    const uuid = textIn(item, 'uuid');
    if (uuid !== undefined) this.entityIds.add(uuid);
    const prefix = item.pk.slice(0, item.pk.indexOf('#') + 1);
    if (prefix === partitions.user) this.#learnFromMember(item);
    if (prefix === partitions.externalUser) this.#traces.externalIds.add(afterPrefix(item));
    if (prefix === partitions.paymentCustomer) this.#traces.customers.add(afterPrefix(item));
    if (prefix === partitions.grant && item.sk === 'GRANT') this.#traces.grantIds.add(afterPrefix(item));
    if (prefix === partitions.transaction && typeof item.id === 'number') this.transactionIds.add(item.id);
  }

  /** Follows chains of merges: a user may have been merged into a user who was later merged into this user. */
  #learnFromMerges(): void {
    const isKnown = (id: unknown) => typeof id === 'number' && this.#userIds.has(id);
    const next = this.#merged.find(({ from, into }) => isKnown(into) && !isKnown(from));
    if (!next) return;
    this.#userIds.add(next.from);
    this.entityIds.add(next.uuid);
    this.#learnFromMerges();
  }

  #learnFromMember(item: Item): void {
    const { texts, externalIds } = this.#traces;
    const [first, last] = [textIn(item, 'firstName'), textIn(item, 'lastName')];
    const found = [first && last && `${first} ${last}`, textIn(item, 'email'), textIn(item, 'phoneNumber')];
    for (const text of found) if (text) texts.add(text);
    const organisationId = item.merchantId ?? item.partnerId;
    const ids = [textIn(item, 'externalId'), textIn(item, 'formerExternalId')];
    for (const id of ids)
      if (id !== undefined && organisationId !== undefined) externalIds.add(`${organisationId}#${id}`);
    if (item.partnerId !== undefined && typeof item.id === 'number') this.entityIds.add(String(item.id));
  }
}
