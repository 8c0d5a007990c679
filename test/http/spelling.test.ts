import { describe, expect, it } from 'vitest';
import { isMisspelling } from '../../shared/domain/spelling.ts';

describe('isMisspelling()', () => {
  it.each([
    ['transaction_discont', 'transaction_discount'],
    ['transaction_disocunt', 'transaction_discount'],
    ['transactions_discounts', 'transaction_discount'],
    ['transactionDiscount', 'transaction_discount'],
    ['Transaction-Discount', 'transaction_discount'],
    ['transactiondiscount', 'transaction_discount'],
    ['quanttiy', 'quantity'],
    ['tag', 'tags'],
    ['usr', 'user'],
    ['Now', 'now'],
  ])('recognises %s as %s', (name, known) => {
    expect(isMisspelling(name, known)).toBe(true);
  });

  it.each([
    ['transaction_discount_code', 'transaction_discount'],
    ['transaction_tax', 'transaction_total'],
    ['category_id', 'category'],
    ['product_type', 'product_price'],
    ['status', 'state'],
    ['new', 'now'],
    ['user_uuid', 'user_id'],
    ['partner', 'partner_id'],
    ['', 'now'],
    ['_', 'a'],
    ['merchant_id', 'transaction_context'],
  ])('does not take %s for %s', (name, known) => {
    expect(isMisspelling(name, known)).toBe(false);
  });
});
