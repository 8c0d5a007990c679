import { User } from '../../../shared/domain/member/member.ts';
import { findMembers, indexAllMembers } from '../../../shared/operations/member/find-members.ts';
import { type Cli, examples, nonEmptyText, type Operator, type Report } from '../cli/cli.ts';
import { count, paragraphs, table } from '../cli/text.ts';
import { scan } from '../reconcile/read-books.ts';
import { memberView } from '../views/member.ts';

export function addFindCommands(group: ReturnType<Cli['add']>, cli: Cli): void {
  group
    .command('find')
    .description(
      'Find members by e-mail, phone, words of the name, or any id: of the member, of an organisation, ' +
        'of a linked account or of a transaction.',
    )
    .argument('<text>', 'the e-mail address, phone number, name or id', nonEmptyText)
    .addHelpText('after', examples('member find ada@example.com', 'member find "Ada Byron"', 'member find SKY-1001'))
    .action(cli.door(find));

  group
    .command('index')
    .description(
      'Let “member find” find members by e-mail, phone and name who joined before it existed. Reads the whole table; ' +
        'may be repeated.',
    )
    .addHelpText('after', examples('member index'))
    .action(cli.door(index));
}

async function find({ deps }: Operator, text: string): Promise<Report> {
  const { found, hasMore } = await findMembers(text, deps);
  const rows = found.map(({ member: { user }, by }) => [
    ...[String(user.id), `${user.firstName} ${user.lastName}`, user.email, user.phoneNumber, by],
  ]);
  const members = table(['member', 'name', 'e-mail', 'phone', 'found by'], rows);
  return {
    json: { members: found.map(({ member, by }) => ({ ...memberView(member), foundBy: by })), hasMore },
    text:
      rows.length === 0
        ? `No member is found by ${text}. Members from before this command: run member index once.`
        : hasMore
          ? paragraphs(members, 'More members have this name: add a word, or give the e-mail address.')
          : members,
    isBad: rows.length === 0,
  };
}

async function index({ deps, stage }: Operator): Promise<Report> {
  const table = { name: stage.tableName, documents: stage.documents };
  const users = async function* () {
    for await (const item of scan(table, ['user'])) if (item.sk === 'USER') yield User.parse(item);
  };
  const indexed = await indexAllMembers(users(), deps);
  return { json: { indexed }, text: `${count(indexed)} members can be found by e-mail, phone and name.` };
}
