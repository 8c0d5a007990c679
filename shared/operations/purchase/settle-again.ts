import { purchaseIdOf } from '../../domain/payment/payment.ts';
import { orderReceivedWrite, paymentChangedWrite, purchaseChangedWrite } from '../../store/outbox/outbox.ts';
import type { Write, WriteContext } from '../../store/table/table-client.ts';
import { ChangedMeanwhileError, NotFoundError } from '../errors.ts';
import { type AuditedDeps, writeAudited } from '../write-audited.ts';
import {
  type findPurchaseStores,
  loadPurchase,
  type NamedPurchase,
  type Purchase,
  type PurchaseReference,
} from './find-purchase.ts';

/**
 * Announces a purchase again: a consumer compares its rewards with everything that was reported of it, and writes the
 * moves that are missing. A purchase that needs none stays as it is.
 *
 * @throws NotFoundError when nothing of the purchase can be settled: there is neither a reward, an order nor a payment
 */
export async function settleAgain(
  reference: PurchaseReference,
  deps: AuditedDeps<typeof findPurchaseStores>,
): Promise<NamedPurchase> {
  const found = await loadPurchase(reference, deps);
  const { merchantId, externalTransactionId: id } = found.purchase;
  const write = announcementOf(found.purchase, { now: deps.now(), nextUuid: deps.nextUuid });
  if (!write) throw new NotFoundError({ kind: 'reward transaction, order, payment or trigger event', id });
  await writeAudited(
    {
      what: `Had purchase ${id} of merchant ${merchantId} settled again.`,
      writes: [write],
      conflict: () => new ChangedMeanwhileError({ kind: 'order', id }),
    },
    deps,
  );
  return found;
}

/**
 * The event of a transaction comes first: it compares all rewards, even if no report has changed. A payment that names
 * another purchase by now has to join that purchase before.
 */
function announcementOf(purchase: Purchase, context: WriteContext): Write | undefined {
  const { transactions, claims, order, payments, externalTransactionId } = purchase;
  const moved = payments.find(({ payment }) => purchaseIdOf(payment) !== externalTransactionId);
  if (moved) return paymentChangedWrite(moved.payment.uuid, context);
  const spent = new Set(
    claims.filter(({ state }) => state === 'SPENT').flatMap(({ rewards }) => rewards.map(({ uuid }) => uuid)),
  );
  const given = transactions.find(({ uuid, growthOf }) => spent.has(uuid) || growthOf !== undefined);
  if (given) return purchaseChangedWrite(given.uuid, context);
  if (order) return orderReceivedWrite(order.uuid, context);
  const [first] = payments;
  return first && paymentChangedWrite(first.payment.uuid, context);
}
