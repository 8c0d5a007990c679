import { isUuid } from '../../domain/ids.ts';
import type { RewardTransaction } from '../../domain/ledger/reward-transaction.ts';
import type { Organisation } from '../../domain/organisation.ts';
import type { Payment, PaymentAccount, PaymentAccountKey } from '../../domain/payment/payment.ts';
import { type PaymentPosition, paymentPosition } from '../../domain/payment/payment-position.ts';
import { Transactions } from '../../store/ledger/transactions.ts';
import { paymentChangedWrite } from '../../store/outbox/outbox.ts';
import {
  customerLinkWrite,
  PaymentAccounts,
  PaymentCustomers,
  paymentAccountWrites,
} from '../../store/payment/payment-customers.ts';
import { type PaymentReceipt, PaymentReceipts, Payments } from '../../store/payment/payments.ts';
import { claimUnder } from '../claim-payments.ts';
import { AlreadyExistsError, ChangedMeanwhileError, NotFoundError, type Subject } from '../errors.ts';
import { findMember, findMemberStores, type MemberReference, memberSubject } from '../member/manage-members.ts';
import type { Deps } from '../operation.ts';
import { findOrganisationOfKind, organisationSubject } from '../organisation/find-organisation.ts';
import { type AuditedDeps, writeAudited } from '../write-audited.ts';

const managePaymentsStores = {
  ...findMemberStores,
  payments: Payments,
  paymentAccounts: PaymentAccounts,
  paymentCustomers: PaymentCustomers,
  paymentReceipts: PaymentReceipts,
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

/**
 * Links a customer of a payment account to a member, and announces the payments that waited for this customer.
 *
 * @returns the number of payments that are processed again
 * @throws NotFoundError when the account is not connected, or the member does not exist
 */
export async function linkPaymentCustomer(
  { member: reference, ...customer }: CustomerLink,
  deps: AuditedDeps<typeof managePaymentsStores>,
) {
  const account = await findAccount(customer, deps);
  const member = await findMember(reference, deps);
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

async function findAccount(key: PaymentAccountKey, deps: PaymentsDeps) {
  const account = await deps.paymentAccounts.find(key);
  if (account) return account;
  throw new NotFoundError(paymentAccountSubject(key));
}

/** The receipt of a payment event, and the payment that the event is about. */
interface ListedReceipt {
  readonly receipt: PaymentReceipt;
  readonly payment: Payment | undefined;
}

/** Which receipts a list shows. */
interface ReceiptQuery {
  /** Id or exact name of the merchant. Without it, the list shows the events of accounts that are not connected. */
  readonly merchant: string | undefined;
  /** The day, as `2026-11-20`, UTC. */
  readonly day: string;
  readonly outcome: PaymentReceipt['outcome'] | undefined;
}

/** Lists the payment events of one day with their outcomes, the newest first. */
export async function listReceipts({ merchant, day, outcome }: ReceiptQuery, deps: PaymentsDeps) {
  const owner = merchant === undefined ? undefined : await findOrganisationOfKind(merchant, 'MERCHANT', deps);
  const [receipts, accounts] = await Promise.all([
    deps.paymentReceipts.of(owner?.id ?? null, day),
    owner ? deps.paymentAccounts.of(owner.id) : [],
  ]);
  const listed = await Promise.all(
    receipts
      .filter((receipt) => outcome === undefined || receipt.outcome === outcome)
      .map(async (receipt): Promise<ListedReceipt> => {
        const { paymentId } = receipt;
        const payment = paymentId === undefined ? undefined : await deps.payments.findById({ ...receipt, paymentId });
        return { receipt, payment };
      }),
  );
  return { owner: owner && { ...organisationSubject(owner), id: owner.id }, accounts, listed };
}

/** A payment with everything that explains its rewards. */
export interface ExplainedPayment {
  readonly payment: Payment;
  readonly position: PaymentPosition;
  readonly transactions: readonly RewardTransaction[];
}

/** How an operator names a payment: by its UUID, or by its id at the payment platform, in one payment account. */
interface PaymentReference {
  readonly id: string;
  readonly account?: PaymentAccountKey | undefined;
}

/**
 * Finds a payment by its UUID, or by its id at the payment platform, in one payment account.
 *
 * @throws NotFoundError when there is none
 */
export async function explainPayment(
  { id, account }: PaymentReference,
  deps: ExplainPaymentDeps,
): Promise<ExplainedPayment> {
  const payment = account
    ? await deps.payments.findById({ ...account, paymentId: id })
    : await findByUuid(id.toLowerCase(), deps);
  if (!payment) throw new NotFoundError({ kind: 'payment', id });
  const found = await Promise.all(payment.transactionIds.map((one) => deps.transactions.find(one)));
  const transactions = found.filter((one) => one !== undefined);
  return { payment, position: paymentPosition(payment.book), transactions };
}

/**
 * Announces a payment again: a consumer decides it again from its present book. Existing awards and reversals stay.
 *
 * @throws NotFoundError when there is none
 */
export async function processPaymentAgain(
  reference: PaymentReference,
  deps: AuditedDeps<typeof explainPaymentStores>,
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

const findByUuid = async (uuid: string, { payments }: ExplainPaymentDeps) =>
  isUuid(uuid) ? payments.find(uuid) : undefined;

const explainPaymentStores = { payments: Payments, transactions: Transactions };
type ExplainPaymentDeps = Deps<typeof explainPaymentStores>;
