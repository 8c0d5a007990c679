import { parseArgs } from 'node:util';
import { ownSenders } from './sender.ts';

/** The options of `npm run bench webhooks -- …`. */
export interface BenchOptions {
  /** Names or files of the senders to measure. */
  readonly senders: readonly string[];
  /** Names of the scenarios; all when it is empty. */
  readonly scenarios: readonly string[];
  /** Deliveries per second that the open-loop publisher causes. */
  readonly rate: number;
  /** The length of each open-loop round. */
  readonly seconds: number;
  /** The number of events that wait for the endpoint that is dead for an hour. */
  readonly backlog: number;
  readonly concurrency: number | undefined;
}

const defaults = { rate: 200, seconds: 10, backlog: 10_000 };

/**
 * Reads the command line.
 *
 * @throws TypeError when an option is unknown; RangeError when a number is not above 0
 */
export function readOptions(args: readonly string[]): BenchOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      sender: { type: 'string', multiple: true },
      scenario: { type: 'string', multiple: true },
      rate: { type: 'string' },
      seconds: { type: 'string' },
      backlog: { type: 'string' },
      concurrency: { type: 'string' },
    },
  });
  return {
    senders: values.sender ?? ownSenders.filter((name) => name !== 'ceiling'),
    scenarios: values.scenario ?? [],
    rate: positive('--rate', values.rate) ?? defaults.rate,
    seconds: positive('--seconds', values.seconds) ?? defaults.seconds,
    backlog: positive('--backlog', values.backlog) ?? defaults.backlog,
    concurrency: positive('--concurrency', values.concurrency),
  };
}

function positive(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const number = Number(text);
  if (!(number > 0)) throw new RangeError(`${name} must be a number above 0, not ${text}`);
  return number;
}
