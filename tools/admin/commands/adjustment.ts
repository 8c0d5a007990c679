import { InvalidArgumentError } from '@commander-js/extra-typings';
import { maximumPoints, maximumPointsAdjustedAlone } from '../../../shared/contracts/limits.ts';
import type { ManualAdjustment } from '../../../shared/domain/ledger/manual-adjustment.ts';
import {
  adjustPoints,
  approveProposal,
  listAdjustments,
  refuseProposal,
} from '../../../shared/operations/member/adjust-points.ts';
import {
  type Cli,
  examples,
  memberArgument,
  month,
  type Operator,
  ofOption,
  type Report,
  shortText,
  wholeNumber,
} from '../cli/cli.ts';
import { count, moment } from '../cli/text.ts';
import { adjustmentsTable, adjustmentText, adjustmentView } from '../views/adjustment.ts';

const alone = count(maximumPointsAdjustedAlone);

export function addAdjustCommand(group: ReturnType<Cli['add']>, cli: Cli): void {
  group
    .command('adjust')
    .description(
      'Add points to an account of a hosted program, or take available points from it. ' +
        `Above ${alone} points of an account in a month, another operator has to approve the proposal.`,
    )
    .argument(...memberArgument)
    .option(...ofOption)
    .requiredOption('--program <organisation>', 'id or exact name of the partner whose program has the account')
    .requiredOption('--points <number>', 'points to add; a number below zero takes points', signedPoints)
    .requiredOption(
      '--reason <text>',
      'why, in one sentence; it stays in the books, so name no personal data',
      shortText,
    )
    .requiredOption('--reference <text>', 'your reference, such as a ticket; it adjusts an account once', shortText)
    .addHelpText(
      'after',
      examples(
        'member adjust cc-1001 --of "Corner Coffee" --program "Skyline Miles" --points 500 --reason "Goodwill for a late order" --reference T-17',
      ),
    )
    .action(cli.door(adjust));
}

export function adjustmentCommands(cli: Cli): void {
  const group = cli.add('adjustment', 'Proposals to adjust points, which a second operator approves.');

  group
    .command('list')
    .description('List the open proposals, or all adjustments of a month, newest first.')
    .option('--month <month>', 'all adjustments that were proposed in this month in UTC, such as 2026-11', month)
    .addHelpText('after', examples('adjustment list', 'adjustment list --month 2026-11 --json'))
    .action(cli.door(list));

  group
    .command('approve')
    .description('Apply the proposal of another operator.')
    .argument('<adjustment>', 'UUID of the proposal')
    .addHelpText('after', examples('adjustment approve 019ab0de-1d5e-7a31-9c52-0123456789ab'))
    .action(cli.door(approve));

  group
    .command('refuse')
    .description('Refuse a proposal, for good. It moves no points.')
    .argument('<adjustment>', 'UUID of the proposal')
    .addHelpText('after', examples('adjustment refuse 019ab0de-1d5e-7a31-9c52-0123456789ab'))
    .action(cli.door(refuse));
}

/** A whole number of points, not zero, with an optional sign. */
function signedPoints(value: string): number {
  const isNegative = value.startsWith('-');
  const points = wholeNumber(value.replace(/^[-+]/, ''));
  if (points === 0) throw new InvalidArgumentError('It must not be 0.');
  if (points > maximumPoints) throw new InvalidArgumentError(`It has to be at most ${count(maximumPoints)}.`);
  return isNegative ? 0 - points : points;
}

interface AdjustOptions {
  readonly of?: string | undefined;
  readonly program: string;
  readonly points: number;
  readonly reason: string;
  readonly reference: string;
}

async function adjust({ deps, confirm }: Operator, id: string, { of, ...options }: AdjustOptions): Promise<Report> {
  const question = (planned: ManualAdjustment) =>
    planned.state === 'APPLIED'
      ? confirm(`Move ${adjustmentText(planned)} in ${options.program} now?`)
      : confirm(
          `Propose to move ${adjustmentText(planned)} in ${options.program}? Another operator has to approve it.`,
        );
  const member = { id, organisation: of };
  const { adjustment, isRepeated } = await adjustPoints({ ...options, member, confirm: question }, deps);
  const repeated = isRepeated ? `Reference ${adjustment.reference} was used before: nothing was changed now. ` : '';
  return {
    json: { adjustment: adjustmentView(adjustment), repeated: isRepeated },
    text: repeated + outcomeText(adjustment),
  };
}

function outcomeText(adjustment: ManualAdjustment): string {
  const { uuid, state, expiresAt } = adjustment;
  const what = `Adjustment ${uuid}: ${adjustmentText(adjustment)}`;
  if (state === 'APPLIED') return `${what}, applied.`;
  if (state === 'REFUSED') return `${what}, refused.`;
  return `${what}, proposed. Until ${moment(expiresAt)} another operator can approve it: adjustment approve ${uuid}`;
}

interface ListOptions {
  readonly month?: string | undefined;
}

async function list({ deps }: Operator, options: ListOptions): Promise<Report> {
  const adjustments = await listAdjustments(options.month, deps);
  const none = options.month === undefined ? 'No proposal is open.' : `No points were adjusted in ${options.month}.`;
  return {
    json: { adjustments: adjustments.map(adjustmentView) },
    text: adjustments.length > 0 ? adjustmentsTable(adjustments) : none,
  };
}

async function approve({ deps, confirm }: Operator, uuid: string): Promise<Report> {
  const question = (planned: ManualAdjustment) =>
    confirm(
      `Move ${adjustmentText(planned)} in program ${planned.partnerId} now? ` +
        `${planned.proposed.operator} proposed it: ${planned.reason}`,
    );
  return decisionReport(await approveProposal({ uuid, confirm: question }, deps));
}

async function refuse({ deps }: Operator, uuid: string): Promise<Report> {
  return decisionReport(await refuseProposal(uuid, deps));
}

const decisionReport = (adjustment: ManualAdjustment): Report => ({
  json: { adjustment: adjustmentView(adjustment) },
  text: outcomeText(adjustment),
});
