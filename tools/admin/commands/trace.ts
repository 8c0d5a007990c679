import { dayMs } from '../../../shared/contracts/limits.ts';
import type { Cli } from '../cli/cli.ts';
import * as input from '../cli/input.ts';
import { count, OperatorError, paragraphs, section, table } from '../cli/text.ts';
import { findStory, type Step, type Story } from '../explain/story.ts';

const defaultDays = 2;

export function traceCommand(cli: Cli): void {
  cli
    .add(
      'trace',
      'Tell what happened because of a request, from the table and the logs: who called, which rows were written, which ' +
        'consumers worked, and what was delivered. A partner finds the id of a request in x-request-id or request_id.',
    )
    .argument('<id>', 'id of a request, transaction, order, event or delivery; with --merchant the number of an order')
    .option('--merchant <organisation>', 'id or exact name of the merchant that uses the number')
    .option('--days <number>', `days of logs to search (default: ${defaultDays})`, input.positiveNumber)
    .action(
      cli.door(
        async ({ deps, stage: { logs } }, text, options) => {
          const { merchant, days = defaultDays } = options;
          const id = merchant === undefined ? text.toLowerCase() : text;
          if (merchant === undefined && !/^[\w-]+$/.test(id)) {
            throw new OperatorError(
              'an id has letters, digits and hyphens; for the number of an order, name its --merchant',
            );
          }
          const story = await findStory({ id, merchant, searchMs: days * dayMs, logs }, deps);
          return { json: { ...story }, text: storyText(text, story), isBad: story.steps.length === 0 };
        },
        'trace 5f0d9a3e-6f4c-4b8e-9d3b-0a1f8c2e7d11',
        'trace 3764875723649152 --json',
        'trace R-10023 --merchant "Corner Coffee"',
      ),
    );
}

/** With `--port-base`, the place of the log files is not known. */
const unreadLogs =
  'The logs were not read: instead of --port-base, name the state folder of the platform with --state-dir.';

export function storyText(id: string, { requestIds, steps, others, hasLogs }: Story): string {
  // The column "after" counts from the first step that has a request. Earlier steps may be days older: the story of a
  // refund also contains the transaction that the refund reverses.
  const first = steps.find(({ requestId }) => requestId !== null) ?? steps[0];
  if (!first) {
    if (!hasLogs) return `The table has nothing about ${id}. ${unreadLogs}`;
    return `Neither the table nor the logs have anything about ${id}. Give more --days, or list transactions.`;
  }
  return paragraphs(
    section(
      requestIds.length === 1 ? `Request ${requestIds[0]}` : `${requestIds.length} requests: ${requestIds.join(', ')}`,
      table(
        ['time (UTC)', 'after', 'what', 'took'],
        steps.map((step) => [
          timeText(step.at),
          sinceText(first, step),
          step.what,
          step.durationMs === null ? null : `${count(Math.round(step.durationMs))} ms`,
        ]),
      ),
    ),
    ...(others.length > 0
      ? [
          section(
            'Other requests about the same',
            table(
              ['time (UTC)', 'request', 'event'],
              others.map(({ requestId, event, at }) => [timeText(at), requestId, event]),
            ),
          ),
        ]
      : []),
    ...(hasLogs ? [] : [unreadLogs]),
  );
}

const timeText = (at: string) => at.slice(0, 'yyyy-mm-ddThh:mm:ss.sss'.length).replace('T', ' ').replace('Z', '');

const sinceText = (first: Step, { at }: Step) => `${((Date.parse(at) - Date.parse(first.at)) / 1000).toFixed(3)} s`;
