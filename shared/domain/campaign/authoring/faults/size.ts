import type { Flow } from '../../document/campaign.ts';
import { type CampaignFault, fault, faultIf } from './fault.ts';

/**
 * How much one event may earn by one campaign. All of it is written at once, in place of as much of an earlier
 * version when a token is replaced; what is more than the store takes in one write could never be rewarded.
 */
export const mostAtOnce = { actions: 16, memberLimits: 16 } as const;

/** What is too much of a document, counted over the flows that begin together. */
export function sizeFaults(flows: readonly Flow[]): CampaignFault[] {
  const together = Map.groupBy(flows, ({ trigger }) => JSON.stringify(trigger));
  return [...together.values()].flatMap((own) => {
    const actions = own.flatMap((flow) => flow.actions).length;
    const memberLimits = own.flatMap((flow) => flow.limits).filter(({ kind }) => kind === 'USER').length;
    const at = own[0]?.trigger.type;
    return [
      ...faultIf(
        actions > mostAtOnce.actions,
        fault('/flows', 'too_many_actions', `${actions} actions begin at ${at}, at most ${mostAtOnce.actions} may`),
      ),
      ...faultIf(
        memberLimits > mostAtOnce.memberLimits,
        fault(
          '/flows',
          'too_many_limits',
          `${memberLimits} limits of members count at ${at}, at most ${mostAtOnce.memberLimits} may`,
        ),
      ),
    ];
  });
}
