import { receiveOrder } from '../../../shared/domain/order/order.ts';
import { type Call, endpoint } from '../../../shared/http/endpoint.ts';
import { orderView } from '../../../shared/http/views/order.ts';
import { Members } from '../../../shared/store/member/members.ts';
import { OrderExistsError, Orders, orderUuidOf } from '../../../shared/store/order/orders.ts';
import { contract } from './contract.ts';

const stores = { members: Members, orders: Orders };

type OrderCall = Call<typeof contract, typeof stores>;

export const handler = endpoint(contract, stores, async (call) => {
  const { body, caller, platform, requestName, refuse } = call;
  const userId = await userIdOf(call);

  const { user: _, ...told } = body;
  const key = { merchantId: caller.organisationId, externalOrderId: body.externalOrderId };
  const now = platform.now();
  const order = receiveOrder({ ...told, ...key, uuid: orderUuidOf(key, now), userId, receivedBy: requestName }, now);
  try {
    await platform.orders.add(order, platform.nextUuid());
  } catch (error) {
    if (!(error instanceof OrderExistsError)) throw error;
    // A request that died after its write and comes again with its idempotency key: its reply is due still.
    const isOwn = requestName !== undefined && error.order.receivedBy === requestName;
    return isOwn ? orderView(error.order) : refuse('order_already_exists', 'The order id was used before');
  }
  return orderView(order);
});

/** The one customer of the caller's that every identification leads to. */
async function userIdOf(call: OrderCall): Promise<number> {
  const { caller, platform, refuse } = call;
  const ids = [...new Set(await namedUserIds(call))];
  // Each must be the caller's own before it is told that they differ: a guess would tell of others' users.
  const members = await Promise.all(ids.map((id) => (id === undefined ? undefined : platform.members.find(id))));
  const [member, ...others] = members;
  const isCustomer = (one: typeof member) =>
    one?.associations.some(({ merchantId }) => merchantId === caller.organisationId) === true;
  if (!member || !members.every(isCustomer)) return refuse('user_does_not_exist', 'The user does not exist');
  if (others.length === 0) return member.user.id;

  const message = 'identifies several users';
  return refuse('invalid_request', `user ${message}`, { faults: [{ pointer: '/user', code: 'ambiguous', message }] });
}

/** Where each identification leads; undefined where it leads nowhere. */
function namedUserIds({ body: { user }, caller, platform: { members } }: OrderCall) {
  const lookups: (number | undefined | Promise<number | undefined>)[] = [];
  if (user.id !== undefined) lookups.push(user.id);
  if (user.linkId !== undefined) lookups.push(members.findUserIdByLink(user.linkId));
  if (user.merchantExternalId !== undefined) {
    lookups.push(members.findUserId(caller.organisationId, user.merchantExternalId));
  }
  return Promise.all(lookups);
}
