import type { LoyaltyProgram } from './program.ts';

/** A program whose system of record is the platform's own ledger: it confirms at once, and writing the ledger is the posting. */
export const hostedProgram: LoyaltyProgram = {
  post: async () => ({ kind: 'confirmed' }),
};
