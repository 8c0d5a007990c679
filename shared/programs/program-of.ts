import type { Organisation } from '../domain/organisation.ts';
import { isPinOf, type ProgramAccounts } from '../store/member/program-accounts.ts';
import type { LoyaltyProgram } from './program.ts';

/**
 * Returns the loyalty program of a partner.
 *
 * @param partner the organisation as it was found
 * @throws Error when there is no such organisation, or it has no program
 */
export function programOf(
  partnerId: number,
  partner: Organisation | undefined,
  accounts: ProgramAccounts,
): LoyaltyProgram {
  switch (partner?.program?.kind) {
    case 'hosted':
      return hostedProgram(partnerId, accounts);
    default:
      throw new Error(`organisation ${partnerId} has no loyalty program`);
  }
}

/**
 * A program whose system of record is the platform itself. It verifies accounts by their PIN, and confirms
 * each transaction at once, because the ledger entry is the posting.
 */
function hostedProgram(partnerId: number, accounts: ProgramAccounts): LoyaltyProgram {
  return {
    isHosted: true,
    startProof: (memberId, account) => ({
      claim: async () => account !== undefined && (await accounts.claimAttempt(account)),
      check: async (proof) => {
        if (!(await isPinOf(account, proof)) || !account) return undefined;
        const { firstName, lastName, email, statusTierId, openingPoints: points } = account;
        return { partnerId, externalId: memberId, firstName, lastName, email, statusTierId, points };
      },
      succeed: async () => account && accounts.resetAttempts(account),
    }),
    post: async () => ({ kind: 'confirmed' }),
    query: async () => ({ kind: 'not_found' }),
    // The ledger gets its entries only after every transaction of the group is confirmed.
    takeBack: async () => ({ kind: 'done' }),
    balance: async () => ({ kind: 'not_found' }),
  };
}
