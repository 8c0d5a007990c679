import { addCommand, type Cli, month, type Operator, positiveNumber, type Report } from '../cli/cli.ts';
import { moment, paragraphs, table } from '../cli/text.ts';

const defaultLimit = 50;

export function auditCommands(cli: Cli): void {
  const group = cli.add('audit', 'The changes that operators made with these commands.');

  addCommand(group, 'list', 'List the changes of a month, newest first.')
    .option('--month <month>', 'month in UTC, such as 2026-11 (default: the present one)', month)
    .option('--limit <number>', `number of entries at most (default: ${defaultLimit})`, positiveNumber)
    .action(cli.door(list, 'audit list', 'audit list --month 2026-11 --limit 500 --json'));
}

interface ListOptions {
  readonly month?: string | undefined;
  readonly limit?: number | undefined;
}

async function list({ deps }: Operator, options: ListOptions): Promise<Report> {
  const chosen = options.month ?? deps.now().toISOString().slice(0, 'yyyy-mm'.length);
  const { items, next } = await deps.auditTrail.of(chosen, { limit: options.limit ?? defaultLimit });
  const rows = items.map(({ at, operator, actor, command, what }) => [moment(at), operator, actor, command, what]);
  const entries =
    rows.length > 0
      ? table(['at', 'operator', 'on behalf of', 'command', 'change'], rows)
      : `Nothing was changed in ${chosen}.`;
  return {
    json: { month: chosen, entries: items, hasMore: next !== null },
    text: next === null ? entries : paragraphs(entries, 'There are more entries: give a greater --limit.'),
  };
}
