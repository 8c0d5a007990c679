import { hostedProgram } from '../programs/hosted.ts';
import type { LoyaltyProgram } from '../programs/program.ts';
import type { Platform } from './platform.ts';

/**
 * The loyalty program of a partner.
 *
 * @throws when the organisation has none
 */
export async function programOf(
  partnerId: number,
  { organisations, programAccounts }: Pick<Platform, 'organisations' | 'programAccounts'>,
): Promise<LoyaltyProgram> {
  const partner = await organisations.find(partnerId);
  switch (partner?.program?.kind) {
    case 'hosted':
      return hostedProgram(partnerId, programAccounts);
    default:
      throw new Error(`organisation ${partnerId} has no loyalty program`);
  }
}
