/** The times that models assume for the table: for a read, and for a transaction by the number of its items. */
export const tableTimes = {
  readMs: 4,
  /** The time of a round trip, plus the time for each item. */
  transactionMs: (items: number): number => 15 + items * 0.2,
};
