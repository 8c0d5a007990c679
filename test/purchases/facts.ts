/**
 * What a history has said about a purchase: the only input of the oracle. A statement that the platform refused is no
 * fact. Amounts are cents. A token is a spent token of the campaign that earns.
 */
export type Fact = { readonly payment?: string } & (
  | { readonly kind: 'token'; readonly cents: number }
  /** An order of the merchant, and the part of it that may earn. */
  | { readonly kind: 'order'; readonly total: number; readonly eligible: number }
  /** A capture of a payment. `order`: the event names the purchase; `guest`: it names no customer. */
  | {
      readonly kind: 'capture';
      readonly payment: string;
      readonly id: string;
      readonly cents: number;
      readonly eligible: number;
      readonly order: boolean;
      readonly guest: boolean;
    }
  /** A payment names the purchase that it belongs to. */
  | { readonly kind: 'named'; readonly payment: string }
  /** The platform's own statement about the order of a payment. */
  | { readonly kind: 'platform order'; readonly payment: string; readonly total: number; readonly eligible: number }
  /** A refund that the merchant reports, of an order or of the transactions of a token or of a payment. */
  | { readonly kind: 'merchant refund'; readonly id: string; readonly cents: number; readonly of: 'order' | 'token' }
  | { readonly kind: 'merchant refund'; readonly id: string; readonly cents: number; readonly payment: string }
  | OfPayment<'refund'>
  | OfPayment<'failed refund'>
  /** The running total of a payment's refunds. */
  | { readonly kind: 'refunded'; readonly payment: string; readonly cents: number }
  | OfPayment<'dispute'>
  | OfPayment<'won'>
  /** A spent token that pays with points. */
  | { readonly kind: 'paid'; readonly cents: number }
  /** A refund of a transaction that paid with points. */
  | { readonly kind: 'redemption refund'; readonly id: string; readonly cents: number }
  /** An operator reversed a transaction, which had earned this much; of a payment that named no order. */
  | { readonly kind: 'reversal'; readonly points: number; readonly cashback: number; readonly payment?: string }
);

/** Money of a payment that comes back, or that does not. */
interface OfPayment<Kind> {
  readonly kind: Kind;
  readonly payment: string;
  readonly id: string;
  readonly cents: number;
}

/** What the member has of the purchases: points earned less points that paid, cents of cashback, cents of spend. */
export interface Outcome {
  readonly points: number;
  readonly cashback: number;
  readonly spend: number;
}
