import type { Organisation } from '../../domain/organisation.ts';
import type { Payment, PaymentAccount, PaymentAccountKey } from '../../domain/payment/payment.ts';
import { paymentChangedWrite } from '../../store/outbox/outbox.ts';
import {
  customerLinkWrite,
  PaymentAccounts,
  type PaymentCustomerKey,
  PaymentCustomers,
  paymentAccountWrites,
} from '../../store/payment/payment-customers.ts';
import { AlreadyExistsError, ChangedMeanwhileError, NotFoundError, OperationError, type Subject } from '../errors.ts';
import { findMember, findMemberStores, type MemberReference, memberSubject } from '../member/manage-members.ts';
import type { Deps } from '../operation.ts';
import { findOrganisationOfKind } from '../organisation/find-organisation.ts';
import { type AuditedDeps, writeAudited } from '../write-audited.ts';
import { claimUnder } from './claim-payments.ts';
import { explainPayment, type findPaymentStores, type PaymentReference } from './find-payment.ts';

const managePaymentsStores = {
  ...findMemberStores,
  paymentAccounts: PaymentAccounts,
  paymentCustomers: PaymentCustomers,
};
type PaymentsDeps = Deps<typeof managePaymentsStores>;

/** A payment account as an operator connects it. */
export interface NewPaymentAccount extends Omit<PaymentAccount, 'merchantId' | 'connectedAt'> {
  /** The id or exact name of the merchant. */
  readonly merchant: string;
}

const paymentAccountSubject = ({ platform, account }: PaymentAccountKey): Subject => ({
  kind: 'payment account',
  id: `${platform} ${account}`,
});

/**
 * Connects a payment account to a merchant: the account's events count from now on. If the account is connected to this
 * merchant already, its settings change.
 *
 * @throws AlreadyExistsError when the account belongs to another merchant
 */
export async function connectPaymentAccount(
  { merchant: text, ...settings }: NewPaymentAccount,
  deps: AuditedDeps<typeof managePaymentsStores>,
): Promise<{ readonly account: PaymentAccount; readonly merchant: Organisation }> {
  const merchant = await findOrganisationOfKind(text, 'MERCHANT', deps);
  const existing = await deps.paymentAccounts.find(settings);
  const subject = paymentAccountSubject(settings);
  if (existing && existing.merchantId !== merchant.id) {
    throw new AlreadyExistsError(subject, { kind: 'organisation', id: existing.merchantId });
  }
  const connectedAt = existing?.connectedAt ?? deps.now().toISOString();
  const account = { ...existing, ...settings, merchantId: merchant.id, connectedAt };
  await writeAudited(
    {
      what: `Connected the ${subject.id} to ${merchant.name}.`,
      writes: paymentAccountWrites(account, existing),
      conflict: () => new ChangedMeanwhileError(subject),
    },
    deps,
  );
  return { account, merchant };
}

/** A customer of a payment account, and the member who is this customer. */
export interface CustomerLink {
  readonly platform: string;
  readonly account: string;
  readonly customerId: string;
  readonly member: MemberReference;
}

/** Payments of the customer wait in other accounts of the merchant at this platform, and none in the named account. */
export class CustomerElsewhereError extends OperationError {
  override readonly name = 'CustomerElsewhereError';
  readonly customer: PaymentCustomerKey;
  readonly accounts: readonly string[];

  constructor(customer: PaymentCustomerKey, accounts: readonly string[]) {
    super(
      `payments of customer ${customer.customerId} wait in other accounts than ${paymentAccountSubject(customer).id}`,
    );
    this.customer = customer;
    this.accounts = accounts;
  }
}

/**
 * Links a customer of a payment account to a member, and announces the payments that waited for this customer.
 *
 * @returns the number of payments that are processed again
 * @throws NotFoundError when the account is not connected, or the member does not exist
 * @throws CustomerElsewhereError when payments of this customer wait in other accounts of the merchant only
 */
export async function linkPaymentCustomer(
  { member: reference, ...customer }: CustomerLink,
  deps: AuditedDeps<typeof managePaymentsStores>,
) {
  const account = await findAccount(customer, deps);
  const member = await findMember(reference, deps);
  await expectNoneElsewhere(customer, account, deps);
  const existing = await deps.paymentCustomers.find(customer);
  const link = { userId: member.user.id, linkedBy: 'operator' as const, linkedAt: deps.now().toISOString() };
  await writeAudited(
    {
      what: `Linked customer ${customer.customerId} of ${paymentAccountSubject(account).id} to member ${member.user.id}.`,
      writes: [customerLinkWrite(customer, link, existing?.userId)],
      conflict: () => new ChangedMeanwhileError(memberSubject(member)),
    },
    deps,
  );
  const claimed = await claimUnder(account.merchantId, { kind: 'customer', customer }, deps);
  return { account, member, claimed };
}

/** @throws CustomerElsewhereError */
async function expectNoneElsewhere(customer: PaymentCustomerKey, { merchantId }: PaymentAccount, deps: PaymentsDeps) {
  const waitsIn = async (account: string) => {
    const reference = { kind: 'customer', customer: { ...customer, account } } as const;
    return (await deps.paymentCustomers.unclaimedOf(merchantId, reference)).length > 0;
  };
  if (await waitsIn(customer.account)) return;
  const all = await deps.paymentAccounts.of(merchantId);
  // Only accounts of the same platform, because the ids of another platform mean other customers.
  const accounts = all.filter(({ platform }) => platform === customer.platform).map(({ account }) => account);
  const waiting = await Promise.all(accounts.map(waitsIn));
  const elsewhere = accounts.filter((_, index) => waiting[index]);
  if (elsewhere.length > 0) throw new CustomerElsewhereError(customer, elsewhere);
}

async function findAccount(key: PaymentAccountKey, deps: PaymentsDeps) {
  const account = await deps.paymentAccounts.find(key);
  if (account) return account;
  throw new NotFoundError(paymentAccountSubject(key));
}

/**
 * Announces a payment again: a consumer decides it again from its present book. Existing awards and reversals stay.
 *
 * @throws NotFoundError when there is none
 */
export async function processPaymentAgain(
  reference: PaymentReference,
  deps: AuditedDeps<typeof findPaymentStores>,
): Promise<Payment> {
  const { payment } = await explainPayment(reference, deps);
  await writeAudited(
    {
      what: `Had payment ${payment.uuid} (${payment.platform} ${payment.paymentId}) processed again.`,
      writes: [paymentChangedWrite(payment.uuid, { now: deps.now(), nextUuid: deps.nextUuid })],
      conflict: () => new ChangedMeanwhileError({ kind: 'payment', id: payment.uuid }),
    },
    deps,
  );
  return payment;
}
