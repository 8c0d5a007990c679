import { dayMs } from '../../contracts/limits.ts';
import type { Payment } from '../../domain/payment/payment.ts';
import { periodOf } from '../../domain/period.ts';
import { Partnerships } from '../../store/campaign/partnerships.ts';
import { PaymentAccounts } from '../../store/payment/payment-customers.ts';
import { type PaymentReceipt, PaymentReceipts, Payments } from '../../store/payment/payments.ts';
import type { Deps } from '../operation.ts';
import {
  allOrganisations,
  findOrganisationOfKind,
  findOrganisationStores,
  loadOrganisationNames,
  organisationSubject,
} from '../organisation/find-organisation.ts';
import { loadTimeZone } from '../partnership/load-time-zone.ts';

const listReceiptsStores = {
  ...findOrganisationStores,
  partnerships: Partnerships,
  payments: Payments,
  paymentAccounts: PaymentAccounts,
  paymentReceipts: PaymentReceipts,
};
type ListReceiptsDeps = Deps<typeof listReceiptsStores>;

/** The receipt of a payment event, and the payment that the event is about. */
interface ListedReceipt {
  readonly receipt: PaymentReceipt;
  readonly payment: Payment | undefined;
}

/** Which receipts a list shows. */
interface ReceiptQuery {
  /** Id or exact name of the merchant. Without it: all merchants, and the accounts that are not connected. */
  readonly merchant: string | undefined;
  /** The day, as `2026-11-20`, in the time zone of the merchant; for all merchants in UTC. By default, today. */
  readonly day: string | undefined;
  readonly outcome: PaymentReceipt['outcome'] | undefined;
}

/** Lists the payment events of one day with their outcomes, the newest first. */
export async function listReceipts({ merchant, day: wanted, outcome }: ReceiptQuery, deps: ListReceiptsDeps) {
  const owner = merchant === undefined ? undefined : await findOrganisationOfKind(merchant, 'MERCHANT', deps);
  const timeZone = await loadTimeZone(owner ? [{ merchantId: owner.id }] : [], deps);
  const day = wanted ?? periodOf('DAY', deps.now().toISOString(), timeZone);
  const merchantIds = owner ? [owner.id] : [null, ...(await allOrganisations(deps)).map(({ id }) => id)];
  const [receipts, accounts, nameOf] = await Promise.all([
    Promise.all(merchantIds.map((id) => receiptsOf(id, { day, timeZone }, deps))),
    owner ? deps.paymentAccounts.of(owner.id) : [],
    loadOrganisationNames(
      merchantIds.filter((id) => id !== null),
      deps,
    ),
  ]);
  const listed = await Promise.all(
    receipts
      .flat()
      .filter((receipt) => outcome === undefined || receipt.outcome === outcome)
      .toSorted((one, other) => other.receivedAt.localeCompare(one.receivedAt))
      .map(async (receipt): Promise<ListedReceipt> => {
        const { paymentId } = receipt;
        const payment = paymentId === undefined ? undefined : await deps.payments.findById({ ...receipt, paymentId });
        return { receipt, payment };
      }),
  );
  return { owner: owner && { ...organisationSubject(owner), id: owner.id }, accounts, listed, nameOf, day, timeZone };
}

/** A day by the calendar of a time zone. */
interface LocalDay {
  readonly day: string;
  readonly timeZone: string;
}

/** The receipts of a merchant on one day. Days of the table are in UTC, so a day of another zone is in two of them. */
async function receiptsOf(merchantId: number | null, { day, timeZone }: LocalDay, deps: ListReceiptsDeps) {
  const noon = Date.parse(`${day}T12:00:00Z`);
  const days = [-1, 0, 1].map((distance) => new Date(noon + distance * dayMs).toISOString().slice(0, day.length));
  const stored = timeZone === 'UTC' ? [day] : days;
  const found = await Promise.all(stored.map((one) => deps.paymentReceipts.of(merchantId, one)));
  return found.flat().filter(({ receivedAt }) => periodOf('DAY', receivedAt, timeZone) === day);
}
