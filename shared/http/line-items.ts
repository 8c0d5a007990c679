import * as z from 'zod/mini';
import { described } from '../contracts/described.ts';
import { maximumAmountCents, maximumBytes, maximumCount } from '../contracts/limits.ts';
import type { LineItem, PurchaseDetails } from '../domain/order/purchase-details.ts';
import { attributesOfContext } from '../domain/trigger/context-attributes.ts';
import type { Context } from '../domain/trigger/trigger.ts';
import { currency, jsonObject, optional, text } from './wire.ts';

const LineItemWire = z.object({
  product_id: described("The product's id in the caller's system.", optional(text())),
  product_name: described('Name of the product.', optional(text())),
  product_price: described('Cents for one piece.', optional(z.int().check(z.gte(0), z.lte(maximumAmountCents)))),
  quantity: described('Pieces; 1 by default.', optional(z.int().check(z.gte(1), z.lte(maximumCount.itemQuantity)))),
  category: described("The item's category, for conditions of campaigns.", optional(text())),
  tags: described(
    "The item's tags, for conditions of campaigns.",
    optional(z.array(text()).check(z.maxLength(maximumCount.itemTags))),
  ),
});
type LineItemWire = z.infer<typeof LineItemWire>;

/**
 * The optional details of a purchase in endpoints 1 and 11: its currency, its items, and attributes of the whole
 * purchase.
 */
export const purchaseDetails = {
  currency,
  line_items: described(
    'The items of the order.',
    optional(z.array(LineItemWire).check(z.maxLength(maximumCount.lineItems))),
  ),
  transaction_context: described(
    'Details of a trigger event, as configured for the trigger; or attributes of a purchase, for conditions of campaigns.',
    optional(
      jsonObject.check(
        z.refine((value) => Buffer.byteLength(JSON.stringify(value)) <= maximumBytes.purchaseContext, {
          error: 'is larger than 4 KB',
          params: { code: 'too_big' },
        }),
      ),
    ),
  ),
};

/** Converts the details of a purchase. Drops the fields of the context that no condition can read. */
export function toPurchaseDetails(body: {
  readonly line_items?: readonly LineItemWire[] | undefined;
  readonly transaction_context?: Context | undefined;
}): PurchaseDetails & { lineItems: LineItem[] } {
  return {
    lineItems: (body.line_items ?? []).map((item) => ({
      productId: item.product_id,
      productName: item.product_name,
      priceCents: item.product_price,
      quantity: item.quantity,
      category: item.category,
      tags: item.tags,
    })),
    attributes: attributesOfContext(body.transaction_context ?? {}),
  };
}
