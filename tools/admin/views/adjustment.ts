import type { ManualAdjustment } from '../../../shared/domain/ledger/manual-adjustment.ts';
import { count, moment, table } from '../cli/text.ts';

/** Manual adjustments: `…View` for scripts, the rest for people. */

export const adjustmentView = ({ id: _, ...adjustment }: ManualAdjustment) => ({
  ...adjustment,
  decided: adjustment.decided ?? null,
});

/** `500 points to member 12`, or `500 points from member 12` */
export function adjustmentText({ points, userId }: Pick<ManualAdjustment, 'points' | 'userId'>): string {
  return `${count(Math.abs(points))} points ${points > 0 ? 'to' : 'from'} member ${userId}`;
}

export function adjustmentsTable(adjustments: readonly ManualAdjustment[]): string {
  return table(
    ['adjustment', 'member', 'program', 'points', 'state', 'proposed', 'by', 'decided by', 'reference', 'reason'],
    adjustments.map((one) => [
      ...[one.uuid, String(one.userId), String(one.partnerId), count(one.points), one.state],
      ...[moment(one.proposed.at), one.proposed.operator, one.decided?.operator ?? null, one.reference, one.reason],
    ]),
  );
}
