import type { AuditEntry } from '../../../shared/store/organisation/audit.ts';
import { addCommand, type Cli, type Operator, type Report } from '../cli/cli.ts';
import * as input from '../cli/input.ts';
import { moment, withMoments } from '../cli/moments.ts';
import { withNames } from '../cli/names.ts';
import { count, paragraphs, table } from '../cli/text.ts';

const defaultLimit = 50;
/** The number of entries that one read of the audit trail returns. */
const entriesPerPage = 500;

export function auditCommands(cli: Cli): void {
  const group = cli.add('audit', 'The changes that operators made with these commands.');

  addCommand(group, 'list')
    .description(
      'List the changes of a month, newest first. Changes of one kind in one run of a command, as of an import, are one line.',
    )
    .option('--month <month>', 'month in UTC, such as 2026-11 (default: the present one)', input.month)
    .option('--limit <number>', `number of lines at most (default: ${defaultLimit})`, input.positiveNumber)
    .option('--all', 'a line for each change')
    .action(cli.door(list, 'audit list', 'audit list --all', 'audit list --month 2026-11 --limit 500 --all --json'));
}

type ListOptions = input.Given<'month'> & input.Given<'limit', number> & input.Given<'all', true>;

async function list({ deps }: Operator, options: ListOptions): Promise<Report> {
  const { month: chosen = deps.now().toISOString().slice(0, 'yyyy-mm'.length), limit = defaultLimit } = options;
  const lines = new Map<string, Line>();
  let page = await deps.auditTrail.of(chosen, { limit: entriesPerPage });
  for (;;) {
    for (const entry of page.items) addTo(lines, entry, options.all === true);
    if (page.next === null || lines.size > limit) break;
    page = await deps.auditTrail.of(chosen, { limit: entriesPerPage, position: page.next });
  }
  const hasMore = lines.size > limit;
  const shown = [...lines.values()].slice(0, limit);
  const entries =
    shown.length > 0
      ? table(
          ['at', 'operator', 'on behalf of', 'command', 'change'],
          await Promise.all(shown.map((line) => toRow(line, deps))),
        )
      : `Nothing was changed in ${chosen}.`;
  return {
    json: { month: chosen, entries: shown.map(({ newest, changes }) => ({ ...newest, changes })), hasMore },
    text: hasMore ? paragraphs(entries, 'There are more entries: give a greater --limit.') : entries,
  };
}

/**
 * A line of the audit report: one change, or all changes of one kind in one run of a command. The kind is the first
 * word of the sentence that describes the change.
 */
interface Line {
  readonly newest: AuditEntry;
  readonly changes: number;
}

function addTo(lines: Map<string, Line>, entry: AuditEntry, isEach: boolean): void {
  const { id, run, what } = entry;
  const key = isEach || run === undefined ? id : `${run} ${what.split(' ')[0]}`;
  const { newest = entry, changes = 0 } = lines.get(key) ?? {};
  lines.set(key, { newest, changes: changes + 1 });
}

async function toRow({ newest: { at, operator, actor, command, what }, changes }: Line, deps: Operator['deps']) {
  const sentence = await withNames(withMoments(what), deps);
  return [
    moment(at),
    operator,
    actor,
    command,
    changes > 1 ? `${count(changes)} changes; last: ${sentence}` : sentence,
  ];
}
