import { month, positiveNumber } from '../cli/arguments.ts';
import { type Cli, examples } from '../cli/cli.ts';
import type { Report } from '../cli/report.ts';
import { moment, paragraphs, table } from '../cli/text.ts';
import type { Operator } from '../operator.ts';

/** How many entries are shown unless said. */
const usualLimit = 50;

export function auditCommands(cli: Cli): void {
  const group = cli.add('audit', 'What operators changed with these commands.');

  group
    .command('list')
    .description('List the changes of a month, the newest first.')
    .option('--month <month>', 'month in UTC, such as 2026-11; the present one unless given', month)
    .option('--limit <number>', `how many at most; ${usualLimit} unless given`, positiveNumber)
    .addHelpText('after', examples('audit list', 'audit list --month 2026-11 --limit 500 --json'))
    .action((options) => cli.run((operator) => list(operator, options)));
}

async function list(
  { platform }: Operator,
  options: { readonly month?: string | undefined; readonly limit?: number | undefined },
): Promise<Report> {
  const asked = options.month ?? platform.now().toISOString().slice(0, 'yyyy-mm'.length);
  const { items, next } = await platform.auditTrail.of(asked, { limit: options.limit ?? usualLimit });
  const rows = items.map(({ at, operator, actor, command, what }) => [moment(at), operator, actor, command, what]);
  const entries =
    rows.length > 0
      ? table(['when', 'who', 'on behalf of', 'command', 'what'], rows)
      : `Nothing was changed in ${asked}.`;
  return {
    json: { month: asked, entries: items, hasMore: next !== null },
    text: next === null ? entries : paragraphs(entries, 'There are more: give a greater --limit.'),
  };
}
