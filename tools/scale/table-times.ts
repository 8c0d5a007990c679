/** The times of the table that models assume: of a read, and of a transaction by the number of its items. */
export const tableTimes = {
  readMs: 4,
  /** A round trip, and the work on each item. */
  transactionMs: (items: number): number => 15 + items * 0.2,
};
