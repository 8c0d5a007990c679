import * as z from 'zod/mini';
import { described } from '../contracts/described.ts';
import { maximumAmountCents } from '../contracts/limits.ts';
import { purchaseDetails, toPurchaseDetails } from './line-items.ts';
import { id, optional, requiredOneOf, text } from './wire.ts';

const cents = z.int().check(z.gte(0), z.lte(maximumAmountCents));

const identification = {
  merchant_external_id: described("The merchant's own id of the customer.", optional(text())),
  user_link_id: described("The id of the user's account with a program.", optional(id)),
  user_id: described('Integer id of the user.', optional(id)),
};

const Wire = z.object({
  ...identification,
  user: described('The user. One of its fields is needed.', optional(z.object(identification))),
  users: described('Another spelling of user.', optional(z.object(identification))),
  transaction_total: described(
    'Cents. An order earns on at most this amount.',
    z.int().check(z.gte(1), z.lte(maximumAmountCents)),
  ),
  transaction_subtotal: described(
    'Cents, before taxes and fees. Required, in one of its two spellings.',
    optional(cents),
  ),
  transaction_sub_total: described('Another spelling of transaction_subtotal.', optional(cents)),
  transaction_discount: described('Cents.', optional(cents)),
  order_external_id: described("The order's id in the caller's system; unique.", text()),
  order_payment_id: described("The payment's id in the payment platform.", optional(text())),
  ...purchaseDetails,
  partner_id: described('Id of the partner: the organisation of the loyalty program.', optional(id)),
});
type Wire = z.infer<typeof Wire>;

/**
 * For each of these fields, the specification's field list and its sample body show different places. All of them are
 * accepted.
 */
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

/** Every value that a body has for one field, with its place. */
function valuesOf(body: unknown, field: keyof typeof places) {
  return places[field].map((pointer) => ({ pointer, value: at(body, pointer) })).filter(({ value }) => value != null);
}

type Issues = z.core.$RefinementCtx<Wire>;

function checkSpellings(body: unknown, issues: Issues): void {
  for (const field of Object.keys(places) as (keyof typeof places)[]) {
    const [first, ...others] = valuesOf(body, field);
    for (const { pointer } of others.filter(({ value }) => value !== first?.value)) {
      const message = `differs from ${first?.pointer}`;
      issues.addIssue({ code: 'custom', path: pathOf(pointer), message, params: { code: 'contradictory' } });
    }
  }
}

function checkIdentification(body: unknown, issues: Issues): void {
  if (identifications.some((name) => valuesOf(body, name).length > 0)) return;
  // If `user` or `users` is no object, the schema reports that fault, and this check adds no second one.
  if (['/user', '/users'].some((pointer) => at(body, pointer) != null && !isObject(at(body, pointer)))) return;
  const message = `needs one of ${identifications.join(', ')}`;
  issues.addIssue({ code: 'custom', path: ['user'], message, params: { code: 'required' } });
}

function checkAmounts(body: unknown, issues: Issues): void {
  const subtotal = valuesOf(body, 'transaction_subtotal')[0]?.value;
  const discount = at(body, '/transaction_discount');
  if (subtotal === undefined) {
    issues.addIssue({ code: 'invalid_type', expected: 'number', input: undefined, path: ['transaction_subtotal'] });
  }
  if (typeof subtotal === 'number' && typeof discount === 'number' && discount > subtotal) {
    const message = 'is more than the subtotal';
    issues.addIssue({ code: 'custom', path: ['transaction_discount'], message, params: { code: 'too_big' } });
  }
}

const CheckedWire = Wire.check(
  z.superRefine(
    (body: Wire, issues: Issues) => {
      checkSpellings(body, issues);
      checkIdentification(body, issues);
      checkAmounts(body, issues);
    },
    // This check also runs when single fields are wrong, so one reply contains every fault.
    { when: ({ value }) => isObject(value) },
  ),
);
requiredOneOf.add(CheckedWire, {
  groups: [
    ['user', 'users', ...identifications],
    ['transaction_subtotal', 'transaction_sub_total'],
  ],
});

/** The body of endpoint 11 in every spelling of the specification, parsed into one form. */
export const OrderBody = z.pipe(
  CheckedWire,
  z.transform((body: Wire) => ({
    user: {
      merchantExternalId:
        body.user?.merchant_external_id ?? body.users?.merchant_external_id ?? body.merchant_external_id,
      linkId: body.user?.user_link_id ?? body.users?.user_link_id ?? body.user_link_id,
      id: body.user?.user_id ?? body.users?.user_id ?? body.user_id,
    },
    externalOrderId: body.order_external_id,
    totalCents: body.transaction_total,
    // The `?? 0` is never used: the check above refuses a body without a subtotal.
    subtotalCents: body.transaction_subtotal ?? body.transaction_sub_total ?? 0,
    discountCents: body.transaction_discount ?? 0,
    paymentId: body.order_payment_id ?? null,
    partnerId: body.partner_id,
    ...toPurchaseDetails(body),
  })),
);
