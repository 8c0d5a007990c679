import { InvalidInputError, UserNotFoundError } from '../../domain/errors.ts';
import { type Order, type ReceivedOrder, receiveOrder } from '../../domain/order/order.ts';
import { Members } from '../../store/member/members.ts';
import { Orders, orderUuidOf } from '../../store/order/orders.ts';
import type { Deps, Replying } from '../operation.ts';

export const createOrderStores = { members: Members, orders: Orders };
type OrderDeps = Deps<typeof createOrderStores> & Replying<Order>;

/** The ids that name the customer of an order; at least one. */
interface CustomerIds {
  readonly id: number | undefined;
  /** The id of the user's account with a program. */
  readonly linkId: number | undefined;
  readonly merchantExternalId: string | undefined;
}

/** An external order with the ids of its customer. */
export interface OrderRequest extends Omit<ReceivedOrder, 'uuid' | 'userId'> {
  readonly user: CustomerIds;
}

/**
 * Records an external order. A consumer awards the order afterwards.
 *
 * @throws UserNotFoundError when an id leads to no customer of the merchant
 * @throws InvalidInputError when the ids lead to several customers
 * @throws OrderExistsError
 */
export async function createOrder({ user, ...received }: OrderRequest, deps: OrderDeps): Promise<Order> {
  const { merchantId, externalOrderId } = received;
  const userId = await findCustomerId(user, merchantId, deps);
  const now = deps.now();
  const uuid = orderUuidOf({ merchantId, externalOrderId }, now);
  const order = receiveOrder({ ...received, uuid, userId }, now);
  await deps.orders.add(order, deps.nextUuid(), deps.replyWrites?.(order));
  return order;
}

/**
 * Finds the one customer of the merchant that every id leads to.
 *
 * @throws UserNotFoundError, InvalidInputError
 */
export async function findCustomerId(
  user: CustomerIds,
  merchantId: number,
  deps: Deps<typeof createOrderStores>,
): Promise<number> {
  const ids = [...new Set(await findUserIds(user, merchantId, deps))];
  const members = await Promise.all(ids.map((id) => (id === undefined ? undefined : deps.members.find(id))));
  const [member] = members;
  const isCustomer = (one: typeof member) =>
    one?.associations.some((association) => association.merchantId === merchantId) === true;
  // First checks that all members are customers of this merchant. Otherwise the error "identifies several users" would
  // reveal users of other merchants.
  if (!member || !members.every(isCustomer)) throw new UserNotFoundError();
  if (members.every((one) => one?.user.id === member.user.id)) return member.user.id;
  throw new InvalidInputError([{ path: ['user'], code: 'ambiguous', message: 'identifies several users' }]);
}

/** Finds the user of each id; undefined for an id that leads to no user. */
function findUserIds(
  { id, linkId, merchantExternalId }: CustomerIds,
  merchantId: number,
  { members }: Deps<typeof createOrderStores>,
) {
  const lookups: (number | undefined | Promise<number | undefined>)[] = [];
  if (id !== undefined) lookups.push(id);
  if (linkId !== undefined) lookups.push(members.findUserIdByLink(linkId));
  if (merchantExternalId !== undefined) lookups.push(members.findUserId(merchantId, merchantExternalId));
  return Promise.all(lookups);
}
