import { InvalidArgumentError } from '@commander-js/extra-typings';
import { maximumPoints, maximumPointsAdjustedAlone } from '../../../shared/contracts/limits.ts';
import type { ManualAdjustment } from '../../../shared/domain/ledger/manual-adjustment.ts';
import { type ErasedUser, User } from '../../../shared/domain/member/member.ts';
import {
  adjustPoints,
  approveProposal,
  listAdjustments,
  refuseProposal,
} from '../../../shared/operations/member/adjust-points.ts';
import { type FoundMembers, findMembers, indexAllMembers } from '../../../shared/operations/member/find-members.ts';
import { loadTierNames } from '../../../shared/operations/registry/tier-names.ts';
import { addCommand, type Cli, type Operator, type Report } from '../cli/cli.ts';
import * as input from '../cli/input.ts';
import { moment } from '../cli/moments.ts';
import { count, paragraphs } from '../cli/text.ts';
import { viewOf } from '../cli/view.ts';
import { scan } from '../reconcile/read-books.ts';
import { blockedPart, memberView } from '../views/member.ts';

export function addFindCommands(group: ReturnType<Cli['add']>, cli: Cli): void {
  addCommand(group, 'find')
    .description(
      'Find members by e-mail, phone, words of the name, or any id: of the member, of an organisation, ' +
        'of a linked account or of a transaction.',
    )
    .argument('<text>', 'the e-mail address, phone number, name or id', input.nonEmptyText)
    .action(cli.door(findByText, 'member find ada@example.com', 'member find "Ada Byron"', 'member find SKY-1001'));

  addCommand(group, 'index')
    .description(
      'Let “member find” find members by e-mail, phone and name who joined before it existed. Reads the whole table; ' +
        'may be repeated.',
    )
    .action(
      cli.door(async ({ deps, stage }) => {
        const whole = { name: stage.tableName, documents: stage.documents };
        const users = async function* () {
          for await (const item of scan(whole, ['user'])) if (item.sk === 'USER') yield User.parse(item);
        };
        const indexed = await indexAllMembers(users(), deps);
        return { json: { indexed }, text: `${count(indexed)} members can be found by e-mail, phone and name.` };
      }, 'member index'),
    );
}

async function findByText({ deps }: Operator, text: string): Promise<Report> {
  const { found, erased, hasMore } = await findMembers(text, deps);
  const accounts = found.flatMap(({ member }) => member.memberships);
  const tierNameOf = await loadTierNames(
    accounts.map(({ partnerId }) => partnerId),
    deps,
  );
  const parts = [
    ...(erased ? [erasedText(erased)] : []),
    ...(found.length > 0 ? [foundView.table(found)] : []),
    ...(hasMore ? ['More members have this name: add a word, or give the e-mail address.'] : []),
  ];
  return {
    json: {
      members: found.map(({ member, by }) => ({ ...memberView(member, tierNameOf), foundBy: by })),
      erased: erased ? { id: erased.userId, erasedAt: erased.erasedAt } : null,
      hasMore,
    },
    text: parts.length > 0 ? paragraphs(...parts) : `No member is found by ${text}. ${indexAdvice}`,
    isBad: parts.length === 0,
  };
}

/** A found member, for people; scripts read the whole member. */
const foundView = viewOf<FoundMembers['found'][number]>()({
  member: { head: 'member', cell: ({ member }) => member.user.id },
  name: { head: 'name', json: null, cell: ({ member: { user } }) => `${user.firstName} ${user.lastName}` },
  email: { head: 'e-mail', json: null, cell: ({ member }) => member.user.email },
  phone: { head: 'phone', json: null, cell: ({ member }) => member.user.phoneNumber },
  by: { head: 'found by' },
  blocked: { head: 'blocked', json: null, cell: ({ member }) => blockedPart(member) },
});

const indexAdvice = 'Members from before this command: run member index once.';

const erasedText = ({ userId, erasedAt }: ErasedUser) =>
  `Member ${userId} was erased on ${moment(erasedAt)}: the person is gone, and the books stay without a name.`;

const alone = count(maximumPointsAdjustedAlone);

export function addAdjustCommand(group: ReturnType<Cli['add']>, cli: Cli): void {
  addCommand(group, 'adjust')
    .description(
      'Add points to an account of a hosted program, or take available points from it. ' +
        `Above ${alone} points of an account in a month, another operator has to approve the proposal.`,
    )
    .argument(...input.memberArgument)
    .option(...input.ofOption)
    .requiredOption('--program <organisation>', 'id or exact name of the partner whose program has the account')
    .requiredOption('--points <number>', 'points to add; a number below zero takes points', signedPoints)
    .requiredOption(
      '--reason <text>',
      'why, in one sentence; it stays in the books, so name no personal data',
      input.shortText,
    )
    .requiredOption(
      '--reference <text>',
      'your reference, such as a ticket; it adjusts an account once',
      input.shortText,
    )
    .action(
      cli.door(async ({ deps, confirm }, id, { of, ...options }) => {
        const question = (planned: ManualAdjustment) =>
          planned.state === 'APPLIED'
            ? confirm(`Move ${adjustmentText(planned)} in ${options.program} now?`)
            : confirm(
                `Propose to move ${adjustmentText(planned)} in ${options.program}? Another operator has to approve it.`,
              );
        const member = { id, organisation: of };
        const { adjustment, isRepeated } = await adjustPoints({ ...options, member, confirm: question }, deps);
        const repeated = isRepeated
          ? `Reference ${adjustment.reference} was used before: nothing was changed now. `
          : '';
        return {
          json: { adjustment: adjustmentView(adjustment), repeated: isRepeated },
          text: repeated + outcomeText(adjustment),
        };
      }, 'member adjust tea-7 --of "Lakeside Tea" --program "Lakeside Miles" --points 500 --reason "Goodwill for a late order" --reference T-17'),
    );
}

export function adjustmentCommands(cli: Cli): void {
  const group = cli.add('adjustment', 'Proposals to adjust points, which a second operator approves.');

  addCommand(group, 'list')
    .description('List the open proposals, or all adjustments of a month, newest first.')
    .option('--month <month>', 'all adjustments that were proposed in this month in UTC, such as 2026-11', input.month)
    .action(cli.door(list, 'adjustment list', 'adjustment list --month 2026-11 --json'));

  addCommand(group, 'approve')
    .description('Apply the proposal of another operator.')
    .argument('<adjustment>', 'UUID of the proposal')
    .action(
      cli.door(async ({ deps, confirm }, uuid) => {
        const question = (planned: ManualAdjustment) =>
          confirm(
            `Move ${adjustmentText(planned)} in program ${planned.partnerId} now? ` +
              `${planned.proposed.operator} proposed it: ${planned.reason}`,
          );
        return decisionReport(await approveProposal({ uuid, confirm: question }, deps));
      }, 'adjustment approve 019ab0de-1d5e-7a31-9c52-0123456789ab'),
    );

  addCommand(group, 'refuse')
    .description('Refuse a proposal, for good. It moves no points.')
    .argument('<adjustment>', 'UUID of the proposal')
    .action(
      cli.door(async ({ deps, confirm }, uuid) => {
        await confirm(`Refuse the proposal ${uuid}, for good?`);
        return decisionReport(await refuseProposal(uuid, deps));
      }, 'adjustment refuse 019ab0de-1d5e-7a31-9c52-0123456789ab'),
    );
}

/** Parses a whole number of points with an optional sign. Zero is refused. */
function signedPoints(value: string): number {
  const isNegative = value.startsWith('-');
  const points = input.wholeNumber(value.replace(/^[-+]/, ''));
  if (points === 0) throw new InvalidArgumentError('It must not be 0.');
  if (points > maximumPoints) throw new InvalidArgumentError(`It has to be at most ${count(maximumPoints)}.`);
  return isNegative ? 0 - points : points;
}

function outcomeText(adjustment: ManualAdjustment): string {
  const { uuid, state, expiresAt } = adjustment;
  const what = `Adjustment ${uuid}: ${adjustmentText(adjustment)}`;
  if (state === 'APPLIED') return `${what}, applied.`;
  if (state === 'REFUSED') return `${what}, refused.`;
  return `${what}, proposed. Until ${moment(expiresAt)} another operator can approve it: adjustment approve ${uuid}`;
}

type ListOptions = input.Given<'month'>;

async function list({ deps }: Operator, options: ListOptions): Promise<Report> {
  const adjustments = await listAdjustments(options.month, deps);
  const none = options.month === undefined ? 'No proposal is open.' : `No points were adjusted in ${options.month}.`;
  return adjustmentView.list(adjustments, { name: 'adjustments', none });
}

const decisionReport = (adjustment: ManualAdjustment): Report => ({
  json: { adjustment: adjustmentView(adjustment) },
  text: outcomeText(adjustment),
});

const adjustmentView = viewOf<ManualAdjustment>()({
  uuid: { head: 'adjustment' },
  userId: { head: 'member' },
  partnerId: { head: 'program' },
  points: { head: 'points', as: count },
  state: { head: 'state' },
  expiresAt: {},
  proposed: { head: 'proposed', as: ({ at }) => moment(at) },
  by: { head: 'by', json: null, cell: ({ proposed }) => proposed.operator },
  decided: { head: 'decided by', as: ({ operator }) => operator },
  reference: { head: 'reference' },
  reason: { head: 'reason' },
});

/** `500 points to member 12`, or `500 points from member 12` */
function adjustmentText({ points, userId }: Pick<ManualAdjustment, 'points' | 'userId'>): string {
  return `${count(Math.abs(points))} points ${points > 0 ? 'to' : 'from'} member ${userId}`;
}
