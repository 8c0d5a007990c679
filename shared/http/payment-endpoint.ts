import { once } from '../domain/memoize.ts';
import { webhookPlatforms } from '../payments/webhook-platforms.ts';
import { runtime, withStores } from '../runtime/runtime.ts';
import { PaymentAccounts } from '../store/payment/payment-customers.ts';
import { endpointFor } from './endpoint.ts';
import { type IdentifyCaller, refusal } from './request.ts';

const openDeps = once(() => withStores(runtime(), { paymentAccounts: PaymentAccounts }));

/** Stands in for the key of an unknown account, so that its check takes as long as the check of a known account. */
const noKey = '00'.repeat(32);

/**
 * Identifies an account of a payment platform by the signature of its webhook. The key of the signature is registered
 * with the account. An unknown platform or account, an account without a key, and a wrong signature have the same
 * reply.
 */
const identifyAccount: IdentifyCaller = async (contract, { headers, path, body }) => {
  const { paymentAccounts, config } = openDeps();
  const { payment_platform: name = '', payment_account: id = '' } = path;
  const platform = webhookPlatforms.get(name);
  // Reads the account from the table every time: with a cache, the reply for a known account would be faster than for
  // an unknown one.
  const account = platform ? await paymentAccounts.find({ platform: name, account: id }) : undefined;
  const url = account?.notificationUrl ?? `${config.baseUrl}/payments/${name}/${id}`;
  const isSigned = platform?.isSigned({ headers, body, url }, account?.signingKey ?? noKey);
  if (!platform || !account?.signingKey || !isSigned) {
    throw refusal(contract, 'invalid', 'The signature is missing or wrong, or the account is not connected');
  }
  return {
    kind: 'paymentAccount',
    organisationId: account.merchantId,
    scope: `${name} ${id}`,
    webhook: { source: platform.source, account: id, body },
  };
};

/** Makes the Lambda of a contract that payment platforms call. */
export const paymentEndpoint = endpointFor(identifyAccount);
