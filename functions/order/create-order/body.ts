import * as z from 'zod/mini';
import { maximumAmountCents, maximumCount } from '../../../shared/contracts/limits.ts';
import { id, optional, text } from '../../../shared/http/wire.ts';

/** The body of endpoint 11, in every spelling that the specification shows, and as one thing afterwards. */

const cents = z.int().check(z.gte(0), z.lte(maximumAmountCents));

const identification = {
  /** The merchant's own id of the customer. */
  merchant_external_id: optional(text()),
  /** The id of the user's account with a program. */
  user_link_id: optional(id),
  user_id: optional(id),
};

const Wire = z.object({
  ...identification,
  user: optional(z.object(identification)),
  users: optional(z.object(identification)),
  transaction_total: z.int().check(z.gte(1), z.lte(maximumAmountCents)),
  transaction_subtotal: optional(cents),
  transaction_sub_total: optional(cents),
  transaction_discount: optional(cents),
  order_external_id: text(),
  order_payment_id: optional(text()),
  line_items: optional(
    z
      .array(
        z.object({
          product_id: optional(text()),
          product_name: optional(text()),
          product_price: optional(cents),
        }),
      )
      .check(z.maxLength(maximumCount.lineItems)),
  ),
});
type Wire = z.infer<typeof Wire>;

/** Where each thing may stand that the specification's field list and sample body write differently. */
const places = {
  merchant_external_id: ['/user/merchant_external_id', '/users/merchant_external_id', '/merchant_external_id'],
  user_link_id: ['/user/user_link_id', '/users/user_link_id', '/user_link_id'],
  user_id: ['/user/user_id', '/users/user_id', '/user_id'],
  transaction_subtotal: ['/transaction_subtotal', '/transaction_sub_total'],
} as const;

const identifications = ['merchant_external_id', 'user_link_id', 'user_id'] as const;

const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value);

const pathOf = (pointer: string) => pointer.split('/').slice(1);

function at(body: unknown, pointer: string): unknown {
  return pathOf(pointer).reduce<unknown>((inner, name) => Object(inner)[name], body);
}

/** What is said of one thing, with the place of each time that it is said. */
function said(body: unknown, thing: keyof typeof places) {
  return places[thing].map((pointer) => ({ pointer, value: at(body, pointer) })).filter(({ value }) => value != null);
}

type Issues = z.core.$RefinementCtx<Wire>;

function checkSpellings(body: unknown, issues: Issues): void {
  for (const thing of Object.keys(places) as (keyof typeof places)[]) {
    const [first, ...others] = said(body, thing);
    for (const { pointer } of others.filter(({ value }) => value !== first?.value)) {
      const message = `says something else than ${first?.pointer}`;
      issues.addIssue({ code: 'custom', path: pathOf(pointer), message, params: { code: 'contradictory' } });
    }
  }
}

function checkIdentification(body: unknown, issues: Issues): void {
  if (identifications.some((name) => said(body, name).length > 0)) return;
  // A wrapper that is no object is refused as such.
  if (['/user', '/users'].some((pointer) => at(body, pointer) != null && !isObject(at(body, pointer)))) return;
  const message = `needs one of ${identifications.join(', ')}`;
  issues.addIssue({ code: 'custom', path: ['user'], message, params: { code: 'required' } });
}

function checkAmounts(body: unknown, issues: Issues): void {
  const subtotal = said(body, 'transaction_subtotal')[0]?.value;
  const discount = at(body, '/transaction_discount');
  if (subtotal === undefined) {
    issues.addIssue({ code: 'invalid_type', expected: 'number', input: undefined, path: ['transaction_subtotal'] });
  }
  if (typeof subtotal === 'number' && typeof discount === 'number' && discount > subtotal) {
    const message = 'is more than the subtotal';
    issues.addIssue({ code: 'custom', path: ['transaction_discount'], message, params: { code: 'too_big' } });
  }
}

/** The body, parsed into what it means. */
export const OrderBody = z.pipe(
  Wire.check(
    z.superRefine(
      (body: Wire, issues: Issues) => {
        checkSpellings(body, issues);
        checkIdentification(body, issues);
        checkAmounts(body, issues);
      },
      // Also when single fields are wrong, so that the caller hears of every fault at once.
      { when: ({ value }) => isObject(value) },
    ),
  ),
  z.transform((body: Wire) => ({
    user: {
      merchantExternalId:
        body.user?.merchant_external_id ?? body.users?.merchant_external_id ?? body.merchant_external_id,
      linkId: body.user?.user_link_id ?? body.users?.user_link_id ?? body.user_link_id,
      id: body.user?.user_id ?? body.users?.user_id ?? body.user_id,
    },
    externalOrderId: body.order_external_id,
    totalCents: body.transaction_total,
    // One of the two is there, or the check has refused the body.
    subtotalCents: body.transaction_subtotal ?? body.transaction_sub_total ?? 0,
    discountCents: body.transaction_discount ?? 0,
    paymentId: body.order_payment_id ?? null,
    lineItems: (body.line_items ?? []).map((item) => ({
      productId: item.product_id,
      productName: item.product_name,
      priceCents: item.product_price,
    })),
  })),
);
