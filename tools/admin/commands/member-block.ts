import type { Command } from '@commander-js/extra-typings';
import type { Member } from '../../../shared/domain/member/member.ts';
import {
  type BlockedMember,
  type BlockOrder,
  blockMember,
  unblockMember,
} from '../../../shared/operations/member/block-member.ts';
import { loadTierNames } from '../../../shared/operations/registry/tier-names.ts';
import { addCommand, type Cli, type Operator, type Report } from '../cli/cli.ts';
import * as input from '../cli/input.ts';
import { count, counted } from '../cli/text.ts';
import { blockText, memberView } from '../views/member.ts';

const programOption = [
  '--program <organisation>',
  'only the account in the program of this partner, by id or exact name (default: the whole person)',
] as const;

/** Adds the commands that block members and accounts. */
export function addBlockCommands(group: Command, cli: Cli): void {
  addCommand(group, 'block')
    .description(
      'Block a person, or one account: no new rewards, payments with points, transfers and links. ' +
        'Tokens that are not spent end, and the user tokens of a person. Refunds and reversals go on.',
    )
    .argument(...input.memberArgument)
    .option(...input.ofOption)
    .option(...programOption)
    .requiredOption('--reason <text>', 'why, in one sentence; operators see it in member show', input.shortText)
    .action(
      cli.door(
        block,
        'member block cc-1001 --of "Corner Coffee" --reason "Stolen card, ticket T-21"',
        'member block 3764875723637238 --program "Skyline Miles" --reason "Points farming, ticket T-22"',
      ),
    );

  addCommand(group, 'unblock')
    .description(
      'End the block of a person, or of one account. Tokens do not come back. Rewards that were held wait for a review.',
    )
    .argument(...input.memberArgument)
    .option(...input.ofOption)
    .option(...programOption)
    .requiredOption('--reason <text>', 'why, in one sentence', input.shortText)
    .action(
      cli.door(async ({ deps }, id, options) => {
        const { member, isChanged } = await unblockMember(orderOf(id, options), deps);
        const { user } = member;
        const rest =
          options.program !== undefined && user.block ? ` But the whole person ${blockText(user.block)}.` : '';
        return {
          json: { changed: isChanged, member: await viewOf(member, deps) },
          text: `${subjectOf({ member }, options)} ${isChanged ? 'is no longer blocked' : 'was not blocked'}.${rest}`,
        };
      }, 'member unblock cc-1001 --of "Corner Coffee" --reason "The member proved the purchases"'),
    );
}

type BlockOptions = input.Needed<'reason'> & input.Given<'of' | 'program'>;

const orderOf = (id: string, { of, ...options }: BlockOptions): BlockOrder => ({
  member: { id, organisation: of },
  ...options,
});

async function block({ deps, confirm }: Operator, id: string, options: BlockOptions): Promise<Report> {
  const what = options.program === undefined ? `member ${id}` : `the account of member ${id} in ${options.program}`;
  await confirm(`Block ${what}? Tokens end, and do not come back.`);
  const blocked = await blockMember(orderOf(id, options), deps);
  const { member, isChanged, cancelledIds, endedTokens, heldPoints } = blocked;
  return {
    json: {
      changed: isChanged,
      cancelled: cancelledIds,
      ended: endedTokens,
      heldPoints,
      member: await viewOf(member, deps),
    },
    text: [
      `${isChanged ? '' : 'It was blocked before. '}${subjectOf(blocked, options)} is blocked.`,
      `${counted(count(cancelledIds.length), 'transaction')} of unspent tokens cancelled, user tokens at ${counted(count(endedTokens.length), 'merchant')} ended.`,
      ...(heldPoints > 0
        ? [
            `${counted(count(heldPoints), 'point')} are still held, by payments or reversals under way, or by a token of the last seconds: run the command again to cancel it.`,
          ]
        : []),
    ].join('\n'),
  };
}

async function viewOf(member: Member, deps: Operator['deps']) {
  const partnerIds = member.memberships.map(({ partnerId }) => partnerId);
  return memberView(member, await loadTierNames(partnerIds, deps));
}

const subjectOf = ({ member: { user } }: Pick<BlockedMember, 'member'>, { program }: BlockOptions) =>
  `${program === undefined ? 'Member' : `The account in ${program} of member`} ${user.id} (${user.firstName} ${user.lastName})`;
