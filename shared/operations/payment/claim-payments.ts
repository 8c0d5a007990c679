import type { PlatformEvent } from '../../contracts/events.ts';
import { Members } from '../../store/member/members.ts';
import { PaymentCustomers, type UnclaimedReference } from '../../store/payment/payment-customers.ts';
import type { Deps } from '../operation.ts';

export const claimPaymentsStores = { members: Members, paymentCustomers: PaymentCustomers };
type ClaimDeps = Deps<typeof claimPaymentsStores>;

/**
 * Announces the payments that wait for a member who has linked an account. Safe to repeat. These payments wait:
 * - those that name the member by the merchant's id for this customer;
 * - those that earned nothing because the member had no account in a program.
 *
 * @throws Error for a user that never existed
 */
export async function claimPayments(event: PlatformEvent, deps: ClaimDeps): Promise<void> {
  const { merchantId } = event;
  const member = await deps.members.findOfEvent(event);
  if (!member) return;
  await claimUnder(merchantId, { kind: 'user', userId: member.user.id }, deps);
  const externalId = member.associations.find((one) => one.merchantId === merchantId)?.externalId;
  if (externalId) await claimUnder(merchantId, { kind: 'external', externalId }, deps);
}

/** Announces all payments that wait unclaimed under a reference at a merchant. Returns the number of payments. */
export async function claimUnder(
  merchantId: number,
  reference: UnclaimedReference,
  { paymentCustomers, now, nextUuid }: Deps<Pick<typeof claimPaymentsStores, 'paymentCustomers'>>,
): Promise<number> {
  const uuids = await paymentCustomers.unclaimedOf(merchantId, reference);
  for (const uuid of uuids)
    await paymentCustomers.announceUnclaimed(merchantId, { reference, uuid }, { now: now(), nextUuid });
  return uuids.length;
}
