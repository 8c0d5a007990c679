import type { ProgramAccounts } from '../store/member/program-accounts.ts';
import type { LoyaltyProgram } from './program.ts';

/**
 * A program whose system of record is the platform itself: it knows its accounts by their PIN, and
 * confirms a transaction at once, for writing the ledger is the posting.
 */
export function hostedProgram(partnerId: number, accounts: ProgramAccounts): LoyaltyProgram {
  return {
    verify: ({ memberId, proof }) => accounts.verify(partnerId, memberId, proof),
    post: async () => ({ kind: 'confirmed' }),
    // Nothing is in the ledger before all that belongs together is confirmed.
    takeBack: async () => {},
  };
}
