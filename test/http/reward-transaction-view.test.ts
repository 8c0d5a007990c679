import { describe, expect, it } from 'vitest';
import { bearerView, createdViews, partnerKeyView } from '../../shared/http/views/reward-transaction.ts';
import { aPurchase, aTransaction } from '../domain/fixtures.ts';

/** The numbers of the specification, "States and transitions". */
describe('a reward transaction’s status', () => {
  it.each([
    ['INITIATED', 1],
    ['PENDING', 2],
    ['COMPLETED', 3],
    ['ERROR', 4],
    ['REVERSED', 5],
    ['FAILED', 6],
    ['CANCELLED', 7],
  ] as const)('is $1 in the replies of endpoints 7 and 8 when the state is $0', (state, number) => {
    const transaction = aTransaction({ state });
    expect(partnerKeyView(transaction).transaction_status).toBe(number);
    expect(bearerView(transaction).transaction_status).toBe(number);
  });

  it('is 1 PENDING in the reply of endpoint 2', () => {
    const views = createdViews(aPurchase(), '2026-03-08T12:00:00.000Z');
    expect(views.map((view) => [view.status, 'failure_reason' in view])).toEqual(views.map(() => [1, false]));
    expect(views).not.toEqual([]);
  });
});
