import { isUuid } from '../../domain/ids.ts';
import type { RewardTransaction } from '../../domain/ledger/reward-transaction.ts';
import type { Payment, PaymentAccount, PaymentAccountKey } from '../../domain/payment/payment.ts';
import { type PaymentPosition, paymentPosition } from '../../domain/payment/payment-position.ts';
import { Transactions } from '../../store/ledger/transactions.ts';
import { PaymentAccounts } from '../../store/payment/payment-customers.ts';
import { Payments } from '../../store/payment/payments.ts';
import { AmbiguousNameError, NotFoundError } from '../errors.ts';
import type { Deps } from '../operation.ts';
import { allOrganisations, findOrganisationOfKind, findOrganisationStores } from '../organisation/find-organisation.ts';

export const findPaymentStores = {
  ...findOrganisationStores,
  payments: Payments,
  paymentAccounts: PaymentAccounts,
  transactions: Transactions,
};
type FindPaymentDeps = Deps<typeof findPaymentStores>;

/** How an operator names a payment. */
export interface PaymentReference {
  /** The UUID, or the id at the payment platform. */
  readonly id: string;
  /** The payment account of an id at the payment platform. Without it, every connected account is searched. */
  readonly account?: PaymentAccountKey | undefined;
  /** Id or exact name of the merchant, to search its payment accounts only. */
  readonly merchant?: string | undefined;
}

/** A payment with everything that explains its rewards. */
export interface ExplainedPayment {
  readonly payment: Payment;
  readonly position: PaymentPosition;
  readonly transactions: readonly RewardTransaction[];
}

/**
 * Finds a payment by its UUID, or by its id at the payment platform.
 *
 * @throws AmbiguousNameError when several payment accounts have a payment with this id
 */
export async function findPayment(
  reference: PaymentReference,
  deps: FindPaymentDeps,
): Promise<ExplainedPayment | undefined> {
  const payment = await search(reference, deps);
  if (!payment) return undefined;
  const found = await Promise.all(payment.transactionIds.map((one) => deps.transactions.find(one)));
  const transactions = found.filter((one) => one !== undefined);
  return { payment, position: paymentPosition(payment.book), transactions };
}

/**
 * Does the same as {@link findPayment} for a payment that has to exist.
 *
 * @throws NotFoundError when there is none
 */
export async function explainPayment(reference: PaymentReference, deps: FindPaymentDeps): Promise<ExplainedPayment> {
  const found = await findPayment(reference, deps);
  if (found) return found;
  throw new NotFoundError({ kind: 'payment', id: reference.id });
}

async function search(
  { id, account, merchant }: PaymentReference,
  deps: FindPaymentDeps,
): Promise<Payment | undefined> {
  if (account) return deps.payments.findById({ ...account, paymentId: id });
  const uuid = id.toLowerCase();
  const byUuid = isUuid(uuid) ? await deps.payments.find(uuid) : undefined;
  if (byUuid) return byUuid;
  const accounts = await accountsOf(merchant, deps);
  const found = await Promise.all(accounts.map((one) => deps.payments.findById({ ...one, paymentId: id })));
  const [payment, ...others] = found.filter((one) => one !== undefined);
  if (!payment || others.length === 0) return payment;
  throw new AmbiguousNameError(
    { kind: 'payment', id },
    [payment, ...others].map((one) => one.uuid),
  );
}

/** The payment accounts of a merchant, or of all merchants. */
async function accountsOf(merchant: string | undefined, deps: FindPaymentDeps): Promise<PaymentAccount[]> {
  const owners =
    merchant === undefined ? await allOrganisations(deps) : [await findOrganisationOfKind(merchant, 'MERCHANT', deps)];
  return (await Promise.all(owners.map(({ id }) => deps.paymentAccounts.of(id)))).flat();
}
