import type { InternalEvent } from '../../shared/contracts/events.ts';
import { type SettleDeps, settlePurchase } from '../../shared/operations/purchase/settle-purchase.ts';
import { settlePurchases } from '../../shared/operations/purchase/settle-purchases.ts';

/** Settles a purchase as the consumer does when an event announces one of its reports. */

type About = Pick<InternalEvent, 'entityId'>;

/** Settles the purchase of an announced order. */
export const settleOrder = ({ entityId }: About, deps: SettleDeps): Promise<void> =>
  settlePurchase({ name: 'order_received', entityId }, deps);

/** Settles the purchases of a batch of events. Returns the error of each event. */
export const settleBatch = (events: readonly InternalEvent[], deps: SettleDeps): Promise<unknown[]> =>
  settlePurchases(events, deps);

/** Settles the purchase of an announced payment. */
export const settlePayment = ({ entityId }: About, deps: SettleDeps): Promise<void> =>
  settlePurchase({ name: 'payment_changed', entityId }, deps);

/** Settles the purchase of an announced refund: of an order, or of a transaction. */
export const settleRefund = ({ entityId }: About, deps: SettleDeps): Promise<void> =>
  settlePurchase({ name: 'refund_received', entityId }, deps);
