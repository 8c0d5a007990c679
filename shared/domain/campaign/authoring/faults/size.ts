import { maximumCount } from '../../../../contracts/limits.ts';
import type { Flow } from '../../document/campaign.ts';
import { type CampaignFault, fault, faultIf } from './fault.ts';

/** What is too much of a document, counted over the flows that begin together. */
export function sizeFaults(flows: readonly Flow[]): CampaignFault[] {
  const together = Map.groupBy(flows, ({ trigger }) => JSON.stringify(trigger));
  return [...together.values()].flatMap((own) => {
    const actions = own.flatMap((flow) => flow.actions).length;
    const memberLimits = own.flatMap((flow) => flow.limits).filter(({ kind }) => kind === 'USER').length;
    const at = own[0]?.trigger.type;
    return [
      ...faultIf(
        actions > maximumCount.actionsPerEvent,
        fault(
          '/flows',
          'too_many_actions',
          `${actions} actions begin at ${at}, at most ${maximumCount.actionsPerEvent} may`,
        ),
      ),
      ...faultIf(
        memberLimits > maximumCount.memberLimitsPerEvent,
        fault(
          '/flows',
          'too_many_limits',
          `${memberLimits} limits of members count at ${at}, at most ${maximumCount.memberLimitsPerEvent} may`,
        ),
      ),
    ];
  });
}
