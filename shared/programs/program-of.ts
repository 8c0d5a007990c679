import type { Organisation } from '../domain/organisation.ts';
import { isPinOf } from '../store/member/program-accounts.ts';
import type { LoyaltyProgram } from './program.ts';

/**
 * Returns the loyalty program of a partner.
 *
 * @param partner the organisation as it was found
 * @throws Error when there is no such organisation, or it has no program
 */
export function programOf(partnerId: number, partner: Organisation | undefined): LoyaltyProgram {
  switch (partner?.program?.kind) {
    case 'hosted':
      return hostedProgram(partnerId);
    default:
      throw new Error(`organisation ${partnerId} has no loyalty program`);
  }
}

/**
 * A program whose system of record is the platform itself. It verifies accounts by their PIN, and confirms
 * each transaction at once, because the ledger entry is the posting.
 */
function hostedProgram(partnerId: number): LoyaltyProgram {
  return {
    isHosted: true,
    verify: async ({ memberId, proof }, account) => {
      if (!(await isPinOf(account, proof)) || !account) return undefined;
      const { firstName, lastName, email, statusTierId, openingPoints: points } = account;
      return { partnerId, externalId: memberId, firstName, lastName, email, statusTierId, points };
    },
    post: async () => ({ kind: 'confirmed' }),
    query: async () => ({ kind: 'not_found' }),
    // The ledger gets its entries only after every transaction of the group is confirmed.
    takeBack: async () => ({ kind: 'done' }),
    balance: async () => ({ kind: 'not_found' }),
  };
}
