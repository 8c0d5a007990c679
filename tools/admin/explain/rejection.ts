import type { AwardRejection } from '../../../shared/domain/award/finalization.ts';
import type { Simulation } from '../../../shared/domain/award/simulate.ts';
import { explain } from './explain.ts';

/** Explains why a reward event earned nothing. */
export function rejectionText(rejection: AwardRejection): string {
  switch (rejection) {
    case 'no_running_campaign':
      return 'no campaign of the merchant ran at that time';
    case 'user_not_customer':
      return 'the member was not a customer of the merchant';
    case 'user_not_linked':
      return 'the member had no account in a program of those campaigns';
    case 'no_default_program':
      return 'the member had several programs at the merchant and had chosen none of them';
    case 'friend_not_member':
      return 'the friend that the event names had no account in the program';
    case 'referral_rewarded_before':
      return 'the referral of this friend was rewarded before';
    case 'nothing_earned':
      return 'no campaign gave anything for it';
  }
}

/** Explains the decision of a simulation, or why the simulation has no decision. */
export function simulationLines({ decision, reason }: Simulation): string[] {
  if (decision) return explain(decision);
  return [
    reason === 'user_not_customer'
      ? 'Nothing could be decided: the member is not a customer of the merchant.'
      : 'Nothing could be decided: the member has no account in the program.',
  ];
}
