import { isStillCustomer } from '../../domain/member/member.ts';
import type { Payment } from '../../domain/payment/payment.ts';
import { Members } from '../../store/member/members.ts';
import { Orders } from '../../store/order/orders.ts';
import { PaymentCustomers, type UnclaimedReference } from '../../store/payment/payment-customers.ts';
import type { Deps } from '../operation.ts';

/** The member behind a payment, and the references by which a later link finds the payment. */

export const findPayerStores = { members: Members, orders: Orders, paymentCustomers: PaymentCustomers };
type PayerDeps = Deps<typeof findPayerStores>;

/**
 * Finds the member of payments: by their order, by the id that the merchant uses for the customer, or by the id that the
 * payment platform uses for the customer, if a user is linked to that id.
 *
 * @returns the user's id, or the reason when there is no user or more than one
 */
export async function findPayer(
  payments: readonly Payment[],
  deps: PayerDeps,
): Promise<number | 'no_member' | 'several_members'> {
  const found = new Set((await Promise.all(payments.map((payment) => findUserIds(payment, deps)))).flat());
  const [userId, ...others] = found;
  if (userId === undefined) return 'no_member';
  return others.length > 0 ? 'several_members' : userId;
}

async function findUserIds(
  { userId, merchantId, platform, account, book }: Payment,
  { members, orders, paymentCustomers }: PayerDeps,
): Promise<number[]> {
  if (userId !== undefined) return [userId];
  const found = await Promise.all([
    ...book.merchantExternalIds.map((externalId) => members.findUserId(merchantId, externalId)),
    ...book.platformCustomerIds.map(async (customerId) => {
      const link = await paymentCustomers.find({ platform, account, customerId });
      const association = link && (await members.findAssociation(link.userId, merchantId));
      return link && isStillCustomer(association, link.linkedAt) ? link.userId : undefined;
    }),
    ...book.orderExternalIds.map(async (externalOrderId) => {
      return (await orders.findByExternalId({ merchantId, externalOrderId }))?.userId;
    }),
  ]);
  return found.filter((one) => one !== undefined);
}

/** The ids that the merchant uses for the customer of a payment. */
export const externalReferencesOf = ({ book }: Payment): UnclaimedReference[] =>
  book.merchantExternalIds.map((externalId) => ({ kind: 'external', externalId }));

/** Every id of the customer of a payment without a member. */
export function referencesOf(payment: Payment): UnclaimedReference[] {
  const { platform, account, book } = payment;
  return [
    ...book.platformCustomerIds.map((customerId) => {
      return { kind: 'customer', customer: { platform, account, customerId } } as const;
    }),
    ...externalReferencesOf(payment),
  ];
}

/**
 * Links the customer of an awarded payment to the member, under each id that the payment platform uses for the
 * customer. So this member is also found for a later payment that contains only such an id.
 */
export async function linkCustomers(
  { platform, account, book }: Payment,
  userId: number,
  { paymentCustomers, now }: PayerDeps,
): Promise<void> {
  const link = { userId, linkedBy: 'payment' as const, linkedAt: now().toISOString() };
  for (const customerId of book.platformCustomerIds) {
    await paymentCustomers.linkNew({ platform, account, customerId }, link);
  }
}
