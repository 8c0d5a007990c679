import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import * as z from 'zod/mini';

const text = z.catch(z.optional(z.string()), undefined);
const number = z.catch(z.optional(z.number()), undefined);

/** A line of a function's log: the fields that a trace reads. */
const LogLine = z.object({
  timestamp: z.string(),
  level: text,
  message: z.string(),
  /** The folder of the function below functions/: `reward/create-transaction`, `consumers/settle-purchase`. */
  service: text,
  requestId: text,
  endpoint: text,
  organisationId: number,
  status: number,
  durationMs: number,
  event: text,
  eventId: text,
  entityId: text,
  transactionId: number,
  subscriptionId: text,
  error: z.catch(z.optional(z.object({ name: text, message: text })), undefined),
});
export type LogLine = z.infer<typeof LogLine>;

/** The time in which log lines are searched. */
export interface TimeRange {
  readonly from: Date;
  readonly to: Date;
}

/** The logs of all functions of a stage. */
export interface StageLogs {
  /** Finds the lines that contain at least one of the ids, the oldest first. */
  readonly find: (ids: readonly string[], range: TimeRange) => Promise<LogLine[]>;
}

/** Parses log lines, and sorts them by time. Lines of other programs, such as the runtime, are left out. */
export function parseLines(lines: readonly string[]): LogLine[] {
  const parsed = lines.flatMap((line) => {
    try {
      return [LogLine.parse(JSON.parse(line))];
    } catch {
      return [];
    }
  });
  return parsed.toSorted((one, other) => Date.parse(one.timestamp) - Date.parse(other.timestamp));
}

/** The log files of a local platform, one for each function. */
export class LogFiles implements StageLogs {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async find(ids: readonly string[], { from, to }: TimeRange): Promise<LogLine[]> {
    const names = await readdir(this.#folder).catch(() => []);
    const files = names.filter((name) => name.endsWith('.log'));
    const found: string[] = [];
    for (const name of files) {
      for await (const line of createInterface({ input: createReadStream(join(this.#folder, name)) })) {
        if (ids.some((id) => line.includes(id))) found.push(line);
      }
    }
    return parseLines(found).filter(({ timestamp }) => {
      const at = Date.parse(timestamp);
      return at >= from.getTime() && at <= to.getTime();
    });
  }
}
