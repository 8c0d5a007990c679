import type { Limit } from '../../document/limit.ts';
import { type CampaignFault, type FlowInDocument, fault, faultIf } from './fault.ts';

/** What is wrong with the limits of a flow: those without an effect, and those that let nothing through. */
export function limitFaults(inDocument: FlowInDocument): CampaignFault[] {
  const { limits } = inDocument.flow;
  return limits.flatMap((limit, position) => {
    const at = `${inDocument.at}/limits/${position}`;
    return [
      ...unitFaults(limit, inDocument, at),
      ...faultIf(
        limit.bound === 'MAXIMUM' && limit.amount === 0,
        fault(`${at}/amount`, 'maximum_of_zero', 'A maximum of 0 rewards nobody'),
      ),
      ...boundFaults(limit, limits, at),
      ...faultIf(
        limits.slice(0, position).some((earlier) => isSameLimit(earlier, limit)),
        fault(at, 'repeated_limit', 'The same is limited by an earlier limit of the flow: keep one of them'),
      ),
    ];
  });
}

function unitFaults({ unit }: Limit, { flow, type }: FlowInDocument, at: string): CampaignFault[] {
  const isSpent = type !== 'TRANSFER' && flow.trigger.type === 'SPEND';
  const where = type === 'TRANSFER' ? 'by a transfer' : `at ${flow.trigger.type}`;
  const hasPoints = flow.actions.some(({ kind }) => kind !== 'AWARD_CASHBACK');
  return [
    ...faultIf(
      unit === 'DOLLARS' && !isSpent,
      fault(`${at}/unit`, 'no_dollars', `Nothing is spent ${where}: dollars cannot be limited`),
    ),
    ...faultIf(
      unit === 'POINTS' && !hasPoints,
      fault(`${at}/unit`, 'no_points', 'No action of the flow is about points: they cannot be limited'),
    ),
  ];
}

function boundFaults(minimum: Limit, limits: readonly Limit[], at: string): CampaignFault[] {
  if (minimum.bound !== 'MINIMUM') return [];
  const maximum = Math.min(
    ...limits.filter((one) => one.bound === 'MAXIMUM' && one.unit === minimum.unit).map(amountOf),
  );
  return faultIf(
    maximum < minimum.amount,
    fault(
      `${at}/amount`,
      'minimum_above_maximum',
      `At least ${minimum.amount} is asked for where at most ${maximum} is allowed`,
    ),
  );
}

const amountOf = ({ amount }: Limit) => amount;

/** Each side may have a limit of its own: then both hold. */
function isSameLimit(one: Limit, other: Limit): boolean {
  return (
    one.ownerId === other.ownerId &&
    one.kind === other.kind &&
    one.bound === other.bound &&
    one.unit === other.unit &&
    (one.kind === 'USER' && other.kind === 'USER' ? one.period === other.period : true)
  );
}
