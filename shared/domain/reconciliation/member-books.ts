import { type Books, keptUser } from './invariants.ts';

/** Whether an item belongs to a member, or to a user who was merged into the member. */
export const isOfMember =
  (member: number, merges: Books['merges']) =>
  ({ userId }: { readonly userId: number | null }): boolean =>
    userId !== null && keptUser(userId, merges) === keptUser(member, merges);

/** The books of one member, including the books of users who were merged into the member. */
export function booksOfMember(member: number, books: Books): Books {
  const { memberships, transactions, claims, entries, usage, programAccounts, spending, adjustments, payouts } = books;
  const { associations = [], velocity = [], merges, unreadable = [] } = books;
  const isOwn = isOfMember(member, merges);
  return {
    memberships: memberships.filter(isOwn),
    associations: associations.filter(isOwn),
    transactions: transactions.filter(isOwn),
    claims: claims.filter(isOwn),
    entries: entries.filter(isOwn),
    usage: usage.filter(isOwn),
    velocity: velocity.filter(isOwn),
    programAccounts,
    ...(spending && {
      spending: {
        totals: spending.totals.filter(isOwn),
        purchases: spending.purchases.filter(({ spent }) => spent !== undefined && isOwn(spent)),
        unknownPurchases: spending.unknownPurchases,
        reported: spending.reported.filter(isOwn),
        counted: spending.counted,
      },
    }),
    merges,
    adjustments: adjustments.filter(isOwn),
    payouts: payouts.filter(isOwn),
    unreadable: unreadable.filter(isOwn),
  };
}
