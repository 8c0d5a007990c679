import type { AwardRejection } from '../../../shared/domain/award/decide-awards.ts';
import type { Simulation } from '../../../shared/domain/award/simulate.ts';
import { explain } from './explain.ts';

/** Why something that was told earned nothing. */
export function rejectionText(rejection: AwardRejection): string {
  switch (rejection) {
    case 'no_running_campaign':
      return 'no campaign of the merchant ran when it came';
    case 'user_not_customer':
      return 'the member was no customer of the merchant';
    case 'user_not_linked':
      return 'the member had no account in a program of those campaigns';
    case 'nothing_earned':
      return 'no campaign gave anything for it';
  }
}

/** What a campaign would decide, in words. */
export function simulationLines({ decision, reason }: Simulation): string[] {
  if (decision) return explain(decision);
  switch (reason) {
    case 'user_not_customer':
      return ['Nothing could be decided: the member is no customer of the merchant.'];
    default:
      return ['Nothing could be decided: the member has no account in the program.'];
  }
}
