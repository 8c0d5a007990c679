import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import { receiptOutcomes } from '../../contracts/events.ts';
import { retentionMs, toSeconds } from '../../contracts/limits.ts';
import { partitions, ttlAttribute } from '../../contracts/table.ts';
import { withNextRevision } from '../../domain/award/finalization.ts';
import { uuidOf } from '../../domain/ids.ts';
import type { OrderKey } from '../../domain/order/order.ts';
import { Payment, type PaymentAccountKey, type ReceivedPayment } from '../../domain/payment/payment.ts';
import { paymentChangedWrite } from '../outbox/outbox.ts';
import {
  defineEntity,
  type Item,
  isNew,
  type Key,
  Repository,
  type Write,
  type WriteContext,
} from '../table/table-client.ts';
import { type UnclaimedReference, unclaimedWrites } from './payment-customers.ts';

/**
 * Payments. As with orders, one read finds a payment by its UUID or by its first id at the payment platform: the random
 * bits of the UUID are the first bits of a digest of account and id. Each further id of the payment has an item that
 * refers to the payment.
 */

/** A payment's key: its payment account, and one of its ids in this account. */
export interface PaymentKey extends PaymentAccountKey {
  readonly paymentId: string;
}

function digestOf({ platform, account, paymentId }: PaymentKey): Buffer {
  return createHash('sha256')
    .update(JSON.stringify([platform, account, paymentId]))
    .digest();
}

const partitionOf = (uuid: string) => `${partitions.payment}${uuid.slice('00000000-0000-'.length)}`;

/** The UUID of a new payment. */
export const paymentUuidOf = (key: PaymentKey, now: Date): string => uuidOf(now, digestOf(key));

function keyOf(key: PaymentKey): Key {
  return { pk: partitionOf(paymentUuidOf(key, new Date(0))), sk: `PAYMENT#${digestOf(key).toString('hex')}` };
}

const payments = defineEntity(Payment, keyOf);

/** Parses a payment from an item of the table. */
export const parsePayment = payments.parse;

/** A further id of a payment. */
const PaymentAlias = z.object({ refersTo: z.string() });
const aliases = defineEntity(PaymentAlias, keyOf);

const isAlias = (item: Item) => 'refersTo' in item;

/** Whether an item is a payment. */
export const isPayment = (item: Item): boolean => item.pk.startsWith(partitions.payment) && !isAlias(item);

/** The item that lists a payment under the external id of an order. */
const PaymentOfOrder = z.object({ paymentUuid: z.string() });
const paymentsOfOrders = defineEntity(
  PaymentOfOrder,
  ({ merchantId, externalOrderId }: OrderKey, paymentUuid: string) => ({
    pk: `${partitions.paymentOrder}${createHash('sha256')
      .update(JSON.stringify([merchantId, externalOrderId]))
      .digest('hex')}`,
    sk: paymentUuid,
  }),
);

/** What a search by several ids of one account found. */
export interface KnownPayments {
  readonly payments: readonly Payment[];
  /** The ids that have an item: the payment itself, or an item that refers to a payment. */
  readonly knownIds: ReadonlySet<string>;
}

export class Payments extends Repository {
  /** Finds a payment by its UUID. If another payment has absorbed it, returns the other payment. */
  async find(uuid: string): Promise<Payment | undefined> {
    const [item] = await this.table.query({ partition: partitionOf(uuid) });
    return item && this.#follow(item);
  }

  /** Finds payments by their UUIDs. Returns each payment once, the oldest first. */
  async findAll(uuids: readonly string[]): Promise<Payment[]> {
    const found = await Promise.all([...new Set(uuids)].map((uuid) => this.find(uuid)));
    const distinct = new Map(found.flatMap((payment) => (payment ? [[payment.uuid, payment] as const] : [])));
    return [...distinct.values()].toSorted((one, other) => (one.uuid < other.uuid ? -1 : 1));
  }

  /** Finds a payment by one of its ids at the payment platform. */
  async findById(key: PaymentKey): Promise<Payment | undefined> {
    const item = await this.table.get(keyOf(key));
    return item && this.#follow(item);
  }

  /** Finds payments by several ids of one account. Returns each payment once. */
  async findByIds(account: PaymentAccountKey, ids: readonly string[]): Promise<KnownPayments> {
    const keys = new Map([...new Set(ids)].map((paymentId) => [keyOf({ ...account, paymentId }).pk, paymentId]));
    const items = await this.table.getAll(
      [...keys.values()].map((paymentId) => keyOf({ platform: account.platform, account: account.account, paymentId })),
    );
    const found = await Promise.all(items.map((item) => this.#follow(item)));
    const distinct = new Map(found.flatMap((payment) => (payment ? [[payment.uuid, payment] as const] : [])));
    return {
      payments: [...distinct.values()],
      knownIds: new Set(items.flatMap(({ pk }) => keys.get(pk) ?? [])),
    };
  }

  /**
   * Finds the payments that name an order, the oldest first. Payments that were written before this list existed are
   * missing.
   */
  async findOfOrder(order: OrderKey): Promise<Payment[]> {
    const { pk: partition } = paymentsOfOrders.key(order, '');
    const listed = (await this.table.query({ partition })).map(paymentsOfOrders.parse);
    return this.findAll(listed.map(({ paymentUuid }) => paymentUuid));
  }

  async #follow(item: Item): Promise<Payment | undefined> {
    if (!isAlias(item)) return payments.parse(item);
    const { platform, account } = AccountOfAlias.parse(item);
    return this.findById({ platform, account, paymentId: aliases.parse(item).refersTo });
  }

  /**
   * Writes a payment after an event, and announces it. The payment is listed under every order that it names.
   *
   * @param ids every id that the event names
   * @param others further writes for the same DynamoDB transaction
   * @throws ConditionFailedError when one of the payments was changed since it was read
   */
  async receive(
    received: ReceivedPayment,
    {
      ids,
      knownIds,
      others,
    }: { readonly ids: readonly string[]; readonly others: readonly Write[] } & Pick<KnownPayments, 'knownIds'>,
    context: WriteContext,
  ): Promise<void> {
    const { payment, absorbed, newOrderIds } = received;
    const { uuid: paymentUuid, merchantId } = payment;
    const news = [...new Set(ids)].filter((id) => !knownIds.has(id) && id !== payment.paymentId);
    await this.table.transact([
      receivedWrite(payment),
      ...news.map((paymentId) => aliasWrite({ ...payment, paymentId }, payment.paymentId)),
      ...absorbed.map((other) => ({ ...aliasWrite(other, payment.paymentId), when: hasRevision(other.revision) })),
      ...newOrderIds.map((externalOrderId) => {
        const key = paymentsOfOrders.key({ merchantId, externalOrderId }, paymentUuid);
        return { kind: 'put', item: paymentsOfOrders.item(key, { paymentUuid }) } as const;
      }),
      paymentChangedWrite(payment.uuid, context),
      ...others,
    ]);
  }
}

const AccountOfAlias = z.object({ platform: z.string(), account: z.string() });

const hasRevision = (value: number) => [{ attribute: 'revision', is: '=', value }] as const;

const item = (payment: Payment): Item => payments.item(payments.key(payment), payment);

/** The write of a payment after an event. The payment already has its new revision. */
function receivedWrite(payment: Payment): Write {
  const when = payment.revision === 1 ? isNew : hasRevision(payment.revision - 1);
  return { kind: 'put', item: item(payment), when };
}

/** The write of a changed payment, on the condition that it was not changed since it was read. */
function paymentWrite(payment: Payment): Write {
  return { kind: 'put', item: item(withNextRevision(payment)), when: hasRevision(payment.revision) };
}

/**
 * The writes of a settled payment.
 *
 * @param references the references by which the payment is found if the customer links an account later
 * @returns writes that fail when the payment was changed since it was read
 */
export const paymentWrites = (payment: Payment, references: readonly UnclaimedReference[]): Write[] => [
  paymentWrite(payment),
  ...unclaimedWrites(payment, references),
];

function aliasWrite(key: PaymentKey, refersTo: string) {
  const { platform, account } = key;
  const stored = { ...aliases.item(aliases.key(key), { refersTo }), platform, account };
  return { kind: 'put', item: stored, when: isNew } as const;
}

/** The result of one event of a payment platform. */
const PaymentReceipt = z.object({
  receivedAt: z.string(),
  platform: z.string(),
  account: z.string(),
  /** The merchant of the account; null when the account is not connected. */
  merchantId: z.nullable(z.int()),
  /** The platform's type of the event, such as `charge.refunded`. */
  type: z.string(),
  /** The EventBridge id; the same when an event is delivered again. */
  envelopeId: z.string(),
  outcome: z.enum(receiptOutcomes),
  /** Why the event was not applied, in words; absent if it was applied. */
  reason: z.optional(z.string()),
  kind: z.optional(z.string()),
  paymentId: z.optional(z.string()),
});
export type PaymentReceipt = z.infer<typeof PaymentReceipt>;

const receipts = defineEntity(PaymentReceipt, (receipt: PaymentReceipt) => ({
  pk: receiptPartition(receipt.merchantId, receipt.receivedAt),
  sk: `${receipt.receivedAt}#${digestOf({
    ...receipt,
    paymentId: `${receipt.envelopeId}#${receipt.kind}#${receipt.paymentId}`,
  })
    .toString('hex')
    .slice(0, 16)}`,
}));

/** Parses a receipt from an item of the table's stream. */
export const parseReceipt = receipts.parse;

/** The partition of the receipts of one merchant on one day, so no partition grows after its day. */
const receiptPartition = (merchantId: number | null, instant: string) =>
  `${partitions.paymentReceipt}${merchantId ?? 'UNKNOWN'}#${instant.slice(0, 'yyyy-mm-dd'.length)}`;

/** The write of a receipt. Another delivery of the event at the same instant writes the same item. */
export function receiptWrite(receipt: PaymentReceipt): Write {
  const ttl = toSeconds(Date.parse(receipt.receivedAt) + retentionMs.archivedEvent);
  return { kind: 'put', item: receipts.item(receipts.key(receipt), receipt, { [ttlAttribute]: ttl }) };
}

/** Receipts of payment events. They are kept for a while, for operators only. */
export class PaymentReceipts extends Repository {
  async add(receipt: PaymentReceipt): Promise<void> {
    await this.table.write(receiptWrite(receipt));
  }

  /** The receipts of a merchant, or of accounts that are not connected, on one day (`2026-11-20`), the newest first. */
  async of(merchantId: number | null, day: string): Promise<PaymentReceipt[]> {
    const items = await this.table.query({ partition: receiptPartition(merchantId, day), descending: true });
    return items.map(receipts.parse);
  }
}
