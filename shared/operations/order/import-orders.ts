import { InvalidInputError, UserNotFoundError } from '../../domain/errors.ts';
import { OrderExistsError } from '../../store/order/orders.ts';
import { AlreadyExistsError, NotFoundError, type Subject, subjectText } from '../errors.ts';
import { type ImportReport, type ImportRow, importRows, type PlannedRow } from '../import-rows.ts';
import { type AuditedDeps, auditWrites } from '../write-audited.ts';
import { createOrder, type createOrderStores, findCustomerId, type OrderRequest } from './create-order.ts';

type ImportOrdersDeps = AuditedDeps<typeof createOrderStores>;

/**
 * Records external orders of a merchant, as endpoint 11 does. An order that the merchant sent before is left as it is,
 * so an import may be repeated. An order counts at the time of its import.
 *
 * @returns the number of new and known orders, and a fault for each row that cannot be an order
 */
export function importOrders(
  rows: readonly ImportRow<OrderRequest>[],
  options: { readonly isDryRun: boolean },
  deps: ImportOrdersDeps,
): Promise<ImportReport> {
  return importRows(rows, (row) => planOrder(row, deps), options);
}

async function planOrder(request: OrderRequest, deps: ImportOrdersDeps): Promise<PlannedRow> {
  const { merchantId, externalOrderId, totalCents, subtotalCents, discountCents } = request;
  if (discountCents > subtotalCents) {
    throw new InvalidInputError([
      { path: ['transaction_discount'], code: 'too_big', message: 'is more than the subtotal' },
    ]);
  }
  const merchant: Subject = { kind: 'organisation', id: merchantId };
  const order: Subject = { kind: 'order', id: externalOrderId };
  const userId = await findCustomer(request, merchant, deps);
  const known = await deps.orders.findByExternalId({ merchantId, externalOrderId });
  if (known) {
    const isSame =
      known.userId === userId &&
      known.totalCents === totalCents &&
      known.subtotalCents === subtotalCents &&
      known.discountCents === discountCents &&
      known.paymentId === request.paymentId;
    if (!isSame) throw new AlreadyExistsError(order, merchant);
    return { outcome: 'unchanged', write: async () => undefined };
  }
  return { outcome: 'created', write: () => write(request, { order, merchant }, deps) };
}

async function findCustomer(
  { user, merchantId }: OrderRequest,
  within: Subject,
  deps: ImportOrdersDeps,
): Promise<number> {
  try {
    return await findCustomerId(user, merchantId, deps);
  } catch (error) {
    if (!(error instanceof UserNotFoundError)) throw error;
    throw new NotFoundError({ kind: 'customer', id: user.merchantExternalId ?? user.id ?? '' }, { within });
  }
}

async function write(
  request: OrderRequest,
  { order, merchant }: { readonly order: Subject; readonly merchant: Subject },
  deps: ImportOrdersDeps,
): Promise<void> {
  const audit = await auditWrites(`imported ${subjectText(order)} of ${subjectText(merchant)}`, deps, {
    before: null,
    after: { totalCents: request.totalCents, subtotalCents: request.subtotalCents },
  });
  try {
    await createOrder(request, { ...deps, replyWrites: () => audit });
  } catch (error) {
    throw error instanceof OrderExistsError ? new AlreadyExistsError(order, merchant) : error;
  }
}
