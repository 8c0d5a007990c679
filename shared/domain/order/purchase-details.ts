import * as z from 'zod/mini';
import type { PurchasedItem } from '../campaign/document/facts.ts';
import type { RewardEvent } from '../campaign/evaluation/gather-facts.ts';
import type { Attributes } from '../member/member.ts';
import { Cents } from '../money.ts';

export const LineItem = z.object({
  productId: z.optional(z.string()),
  productName: z.optional(z.string()),
  /** The price of one piece. */
  priceCents: z.optional(Cents),
  /** One piece by default. */
  quantity: z.optional(z.int().check(z.gte(1))),
  category: z.optional(z.string()),
  tags: z.optional(z.array(z.string())),
});
export type LineItem = z.infer<typeof LineItem>;

/** The details of a purchase that conditions can read: its items, and attributes of the whole purchase. */
export interface PurchaseDetails {
  readonly lineItems: readonly LineItem[];
  readonly attributes: Attributes;
}

/** The fields of a reward event that follow from the details of a purchase; empty without details. */
export function describePurchase({
  lineItems,
  attributes,
}: PurchaseDetails): Pick<RewardEvent, 'items' | 'attributes'> {
  return {
    ...(lineItems.length > 0 && { items: lineItems.map(toItem) }),
    ...(Object.keys(attributes).length > 0 && { attributes }),
  };
}

function toItem({ productId, category, tags = [], priceCents = 0, quantity = 1 }: LineItem): PurchasedItem {
  return { productId, category, tags, amountCents: priceCents * quantity };
}

/**
 * The part of an order that may earn: without taxes, fees and tips. It is at most the total, because the customer paid
 * no more (docs/gaps.md, "Endpoints").
 */
export function eligibleCents({
  totalCents,
  subtotalCents,
  discountCents,
}: {
  readonly totalCents: number;
  /** Before taxes and fees. */
  readonly subtotalCents: number;
  readonly discountCents: number;
}): number {
  return Math.min(totalCents, subtotalCents - discountCents);
}
