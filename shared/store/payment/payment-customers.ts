import * as z from 'zod/mini';
import { cacheAgeMs, retentionMs, toSeconds } from '../../contracts/limits.ts';
import { partitions, ttlAttribute } from '../../contracts/table.ts';
import { cache } from '../../domain/memoize.ts';
import { type Payment, PaymentAccount, type PaymentAccountKey } from '../../domain/payment/payment.ts';
import { paymentChangedWrite } from '../outbox/outbox.ts';
import {
  ConditionFailedError,
  defineEntity,
  isNew,
  Repository,
  type TableClient,
  type Write,
  type WriteContext,
} from '../table/table-client.ts';

/**
 * Stores which merchant has a payment account, which member a customer of a payment account is, and which payments
 * have no member yet.
 */

const accountName = ({ platform, account }: PaymentAccountKey) => `${platform}#${account}`;

const accounts = defineEntity(PaymentAccount, (name: string) => ({
  pk: `${partitions.paymentAccount}${name}`,
  sk: 'ACCOUNT',
}));

/** The list of a merchant's payment accounts: one entry for each account, under its name. */
const merchantPartition = (merchantId: number) => `${partitions.paymentAccount}OF#${merchantId}`;
const ListedAccount = z.object({ platform: z.string(), account: z.string() });
const listedAccounts = defineEntity(ListedAccount, (merchantId: number, key: PaymentAccountKey) => ({
  pk: merchantPartition(merchantId),
  sk: accountName(key),
}));

/** The writes of a payment account. @param existing the stored account; undefined for a new account */
export function paymentAccountWrites(account: PaymentAccount, existing: PaymentAccount | undefined): Write[] {
  const { merchantId, platform, account: name } = account;
  const when = existing ? ([{ attribute: 'merchantId', is: '=', value: existing.merchantId }] as const) : isNew;
  const listed = { platform, account: name };
  return [
    { kind: 'put', item: accounts.item(accounts.key(accountName(account)), account), when },
    { kind: 'put', item: listedAccounts.item(listedAccounts.key(merchantId, account), listed) },
  ];
}

/** Accounts of payment platforms that are connected to merchants. */
export class PaymentAccounts extends Repository {
  readonly #recent: (name: string) => Promise<PaymentAccount | undefined>;

  constructor(table: TableClient, { now }: { readonly now: () => Date }) {
    super(table);
    this.#recent = cache((name) => this.#findByName(name), { maximumAgeMs: cacheAgeMs.credential, now });
  }

  async find(key: PaymentAccountKey): Promise<PaymentAccount | undefined> {
    return this.#findByName(accountName(key));
  }

  /** A payment account, from a cache that is at most a few seconds old. An unknown account is always looked up. */
  async findCached(key: PaymentAccountKey): Promise<PaymentAccount | undefined> {
    return this.#recent(accountName(key));
  }

  async #findByName(name: string): Promise<PaymentAccount | undefined> {
    const item = await this.table.get(accounts.key(name));
    return item && accounts.parse(item);
  }

  /** The accounts of a merchant. */
  async of(merchantId: number): Promise<PaymentAccount[]> {
    const items = await this.table.query({ partition: merchantPartition(merchantId) });
    const found = await this.table.getAll(items.map((item) => accounts.key(accountName(listedAccounts.parse(item)))));
    return found.map(accounts.parse);
  }
}

/** The link of a payment account's customer to a member. */
const PaymentCustomer = z.object({
  userId: z.int(),
  /** What made the link: a payment with several references, or an operator. */
  linkedBy: z.enum(['payment', 'operator']),
  linkedAt: z.string(),
});
type PaymentCustomer = z.infer<typeof PaymentCustomer>;

/** A customer of a payment account. The payment platform issued `customerId`. */
export interface PaymentCustomerKey extends PaymentAccountKey {
  readonly customerId: string;
}

const customers = defineEntity(PaymentCustomer, ({ customerId, ...key }: PaymentCustomerKey) => ({
  pk: `${partitions.paymentCustomer}${accountName(key)}#${customerId}`,
  sk: 'USER',
}));

/** The write of a link. @param existing the user that the customer is linked to, when the link is changed */
export function customerLinkWrite(key: PaymentCustomerKey, link: PaymentCustomer, existing?: number): Write {
  const when = existing === undefined ? isNew : ([{ attribute: 'userId', is: '=', value: existing }] as const);
  return { kind: 'put', item: customers.item(customers.key(key), link), when };
}

/** What a later link to a member uses to find a payment that has no member yet. */
export type UnclaimedReference =
  | { readonly kind: 'customer'; readonly customer: PaymentCustomerKey }
  | { readonly kind: 'external'; readonly externalId: string }
  | { readonly kind: 'user'; readonly userId: number };

const referenceName = (reference: UnclaimedReference): string => {
  switch (reference.kind) {
    case 'customer':
      return `CUSTOMER#${accountName(reference.customer)}#${reference.customer.customerId}`;
    case 'external':
      return `EXTERNAL#${reference.externalId}`;
    case 'user':
      return `USER#${reference.userId}`;
  }
};

const Unclaimed = z.object({ paymentUuid: z.string(), paidAt: z.string() });
const unclaimedPartition = (merchantId: number, reference: UnclaimedReference) =>
  `${partitions.unclaimedPayment}${merchantId}#${referenceName(reference)}`;
const unclaimed = defineEntity(Unclaimed, (partition: string, paymentUuid: string) => ({
  pk: partition,
  sk: paymentUuid,
}));

/** The writes that let a later link find a payment. */
export function unclaimedWrites(
  { uuid: paymentUuid, merchantId, book, createdAt }: Payment,
  references: readonly UnclaimedReference[],
): Write[] {
  const paidAt = book.paidAt ?? createdAt;
  const ttl = toSeconds(Date.parse(createdAt) + retentionMs.unclaimedPayment);
  return references.map((reference) => {
    const key = unclaimed.key(unclaimedPartition(merchantId, reference), paymentUuid);
    return { kind: 'put', item: unclaimed.item(key, { paymentUuid, paidAt }, { [ttlAttribute]: ttl }) };
  });
}

/** Links of customers to members, and the payments that wait for such a link. */
export class PaymentCustomers extends Repository {
  async find(key: PaymentCustomerKey): Promise<PaymentCustomer | undefined> {
    const item = await this.table.get(customers.key(key));
    return item && customers.parse(item);
  }

  /** Links a customer that is not linked yet. An existing link stays. */
  async linkNew(key: PaymentCustomerKey, link: PaymentCustomer): Promise<void> {
    try {
      await this.table.write(customerLinkWrite(key, link));
    } catch (error) {
      if (!(error instanceof ConditionFailedError)) throw error;
    }
  }

  /** The UUIDs of a merchant's payments that wait until a reference leads to a member. */
  async unclaimedOf(merchantId: number, reference: UnclaimedReference): Promise<string[]> {
    const items = await this.table.query({ partition: unclaimedPartition(merchantId, reference) });
    return items.map(unclaimed.parse).map(({ paymentUuid }) => paymentUuid);
  }

  /**
   * Announces a payment and removes it from the list of a reference, in one write. If the payment still cannot be
   * awarded, its processing adds it to the list again.
   */
  async announceUnclaimed(
    merchantId: number,
    { reference, uuid }: { readonly reference: UnclaimedReference; readonly uuid: string },
    context: WriteContext,
  ): Promise<void> {
    await this.table.transact([
      paymentChangedWrite(uuid, context),
      { kind: 'delete', key: unclaimed.key(unclaimedPartition(merchantId, reference), uuid) },
    ]);
  }
}
