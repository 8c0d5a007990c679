import { connectPaymentAccount, linkPaymentCustomer } from '../../../shared/operations/payment/manage-payments.ts';
import type { Platform } from '../../../shared/runtime/platform.ts';
import type { makeShowcase } from './world.ts';

/** The payment accounts of the demonstration's merchant. The stage `local` has event sources for these accounts. */
const stripeAccount = 'acct_RewardsDemo';
const stripeDestination = 'ed_test_RewardsDemo';
const shop = 'rewards-demo.myshopify.com';

/**
 * Connects the payment accounts of the demonstration's merchant, and links the Stripe customers of its members. An
 * event of Stripe names the Stripe account, or only the event destination. So each of these two is connected as an
 * account of its own.
 *
 * @returns the accounts and customers that a payment event has to name
 */
export async function connectDemoPayments(
  { merchant, members }: Awaited<ReturnType<typeof makeShowcase>>,
  platform: Platform,
) {
  const merchantId = merchant.id;
  const accounts = [
    { platform: 'stripe', account: stripeAccount },
    { platform: 'stripe', account: stripeDestination },
    { platform: 'shopify', account: shop },
    { platform: 'canonical', account: String(merchantId) },
  ];
  for (const account of accounts) {
    await connectPaymentAccount({ ...account, merchant: String(merchantId), capture: 'automatic' }, platform);
  }
  for (const { id, stripeCustomer: customerId } of members) {
    for (const account of [stripeAccount, stripeDestination]) {
      const customer = { platform: 'stripe', account, customerId };
      await linkPaymentCustomer({ ...customer, member: { id: String(id) } }, platform);
    }
  }
  return {
    stripe: { account: stripeAccount, customer: members[0]?.stripeCustomer ?? '' },
    shopify: { shop },
    canonical: { merchantId },
  };
}
