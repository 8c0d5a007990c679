import type { Approval } from '../../../shared/store/ledger/manual-adjustments.ts';
import type { Report } from '../cli/cli.ts';
import { moment } from '../cli/moments.ts';
import { count } from '../cli/text.ts';

/** An approval, for scripts and for people. */
export const approvalReport = ({ points, expiresAt, operator }: Approval): Report => ({
  json: { approval: { points, operator, expiresAt } },
  text:
    `Approved: until ${moment(expiresAt)} another operator may run this command without --approve.` +
    (points > 0 ? ` It moves ${count(points)} points.` : ''),
});
