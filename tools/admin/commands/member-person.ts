import { setTimeout as sleep } from 'node:timers/promises';
import {
  approveForfeit,
  type Erasure,
  eraseMember,
  type PlannedErasure,
} from '../../../shared/operations/member/erase-member.ts';
import { exportMember } from '../../../shared/operations/member/export-member.ts';
import { approveMerge, mergeMembers, type PlannedMerge } from '../../../shared/operations/member/merge-members.ts';
import { personalPartitions } from '../../../shared/store/person/personal-items.ts';
import { addCommand, type Cli, type Operator } from '../cli/cli.ts';
import { writeText } from '../cli/files.ts';
import * as input from '../cli/input.ts';
import { moment } from '../cli/moments.ts';
import { count, counted, listed, OperatorError, paragraphs, printableJson, table } from '../cli/text.ts';
import { scan } from '../reconcile/read-books.ts';
import { approvalReport } from '../views/approval.ts';

const reasonOption = [
  '--reason <text>',
  'why, in one sentence; it stays in the audit trail, so name no personal data',
  input.shortText,
] as const;

/**
 * Adds the commands about a person as a whole: to export everything that is kept about the person, to erase the person,
 * and to merge two members who are one person.
 */
export function addPersonCommands(cli: Cli, group: ReturnType<Cli['add']>): void {
  addCommand(group, 'export')
    .description(
      'Export everything that the platform keeps about a member, as one JSON document for the person. Reads the whole table.',
    )
    .argument(...input.memberArgument)
    .option(...input.ofOption)
    .option('--out <file>', 'write the document to this file (default: print it)', input.nonEmptyText)
    .action(
      cli.door(async (operator, id, { of, out }) => {
        const order = { member: { id, organisation: of }, readItems: itemsOf(operator) };
        const document = await exportMember(order, operator.deps);
        const json = { ...document };
        if (out === undefined) return { json, text: printableJson(json) };
        await writeText(out, `${printableJson(json)}\n`);
        const rows = document.sections.map(({ title, entries }) => [title, entries.length]);
        return {
          json: { file: out, member: document.member },
          text: paragraphs(
            `${out} has what is kept about member ${document.member.id}.`,
            table(['section', 'entries'], rows),
          ),
        };
      }, 'member export cc-1001 --of "Corner Coffee" --out ada.json'),
    );

  addCommand(group, 'erase')
    .description(
      'Erase a person, for good. Ends tokens and links, closes the accounts of hosted programs, and removes names, ' +
        'addresses, ids and attributes everywhere. The books stay whole. Reads the whole table. May be repeated: ' +
        'it continues where a run ended.',
    )
    .argument(...input.memberArgument)
    .option(...input.ofOption)
    .requiredOption(...reasonOption)
    .requiredOption('--confirm <id>', 'the member’s own id once more; member show prints it', input.wholeNumber)
    .option('--forfeit', 'give up the points that are left')
    .option(...input.approveOption)
    .action(
      cli.door(
        async (operator, id, options) => {
          const { of, reason, confirm: confirmed, forfeit, approve } = options;
          const order = { member: { id, organisation: of }, readItems: itemsOf(operator) };
          if (approve) return approvalReport(await approveForfeit(order, operator.deps));
          const erased = await eraseMember(
            {
              ...{ ...order, reason, forfeits: forfeit === true },
              confirm: async ({ userId }: PlannedErasure) => requireSameId(userId, confirmed),
            },
            operator.deps,
          );
          return { json: { erased }, text: erasureText(erased) };
        },
        'member erase cc-1001 --of "Corner Coffee" --reason "Request G-12" --confirm 3764875723637238',
        'member erase 3764875723637238 --reason "Request G-12" --confirm 3764875723637238 --forfeit',
      ),
    );

  addMergeCommand(cli, group);
}

function addMergeCommand(cli: Cli, group: ReturnType<Cli['add']>): void {
  addCommand(group, 'merge')
    .description(
      'Merge a member into another one, for good: two members who are one person. Accounts, points, tokens, orders and ' +
        'limits become those of the kept one, and the former ids lead to it. Reads the whole table, and waits for the ' +
        'end of requests that began before. May be repeated: it continues where a run ended.',
    )
    .argument('<keep>', 'id or UUID of the member who stays')
    .argument('<gone>', 'id or UUID of the member who becomes a part of the other one')
    .requiredOption(...reasonOption)
    .requiredOption(
      '--confirm <id>',
      'the id of the member who goes, once more; member show prints it',
      input.wholeNumber,
    )
    .option(...input.approveOption)
    .action(
      cli.door(
        async (operator, keep, gone, options) => {
          const { reason, confirm: confirmed, approve } = options;
          const pair = {
            ...{ keep: { id: keep }, gone: { id: gone } },
            confirm: async ({ goneId }: PlannedMerge) => requireSameId(goneId, confirmed),
          };
          if (approve) return approvalReport(await approveMerge(pair, operator.deps));
          const order = { ...pair, reason, readItems: itemsOf(operator), wait: sleep };
          const merged = await mergeMembers(order, operator.deps);
          const { keptId, goneId, mergedAt, isRepeated, items } = merged;
          const text = isRepeated
            ? `Member ${goneId} was merged into member ${keptId} at ${moment(mergedAt)}; nothing names it any more.`
            : `Member ${goneId} is merged into member ${keptId}: ${counted(count(items), 'item')} were changed, and its ids lead there.`;
          return { json: { merged }, text };
        },
        'member merge 3764875723637238 3764875725014457 --reason "Request G-13" --confirm 3764875725014457',
        'member merge 3764875723637238 3764875725014457 --reason "Request G-13" --confirm 3764875725014457 --approve',
      ),
    );
}

const itemsOf = ({ stage }: Operator) => {
  const whole = { name: stage.tableName, documents: stage.documents };
  return () => scan(whole, personalPartitions);
};

function requireSameId(userId: number, confirmed: number): void {
  if (userId === confirmed) return;
  throw new OperatorError(`this is member ${userId}, and --confirm names ${confirmed}; nothing was changed`);
}

function erasureText({ userId, erasedAt, isRepeated, items, pointsLeft, ownPrograms }: Erasure): string {
  const changed = counted(count(items), 'item');
  const done = isRepeated
    ? `Member ${userId} was erased at ${moment(erasedAt)}. ${items === 0 ? 'Nothing arrived since.' : `${changed} arrived since and were erased now.`}`
    : `Member ${userId} is erased: ${changed} were deleted or emptied.`;
  const back = pointsLeft.map(({ partnerId, points }) => `${count(points)} points in program ${partnerId}`);
  const own = ownPrograms.map(({ partnerId, account }) => `account ${account} of partner ${partnerId}`);
  return paragraphs(
    done,
    ...(back.length > 0 ? [`${listed(back)} came back since: repeat with --forfeit to write them off.`] : []),
    ...(own.length > 0 ? [`Tell the partner, who erases it in its own program: ${listed(own)}.`] : []),
  );
}
