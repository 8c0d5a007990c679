import { setTimeout as pause } from 'node:timers/promises';
import * as z from 'zod/mini';
import { type AwsSettings, endpointFromEnvironment, signedHeaders } from '../../../shared/programs/aws-signature.ts';
import { type LogLine, parseLines, type StageLogs, type TimeRange } from './log-lines.ts';

const LogGroups = z.object({
  logGroups: z._default(z.array(z.object({ logGroupName: z.string() })), []),
  nextToken: z.optional(z.string()),
});
const Query = z.object({ queryId: z.string() });
const Results = z.object({
  status: z.string(),
  results: z._default(z.array(z.array(z.object({ field: z.string(), value: z.string() }))), []),
});

/** CloudWatch Logs refused a call, or did not finish a query. */
class CloudWatchError extends Error {
  override readonly name = 'CloudWatchError';
}

/** CloudWatch Logs searches at most this many groups in one query. */
const groupsPerQuery = 50;
/** CloudWatch Logs returns at most this many lines of a query. */
const linesPerQuery = 10_000;
const pollMs = 300;

/**
 * The logs of a deployed stage, in CloudWatch Logs. The price of a query depends on the bytes that were logged in the
 * period that the query searches.
 */
export class CloudWatchLogs implements StageLogs {
  readonly #settings: AwsSettings;
  readonly #groupPrefix: string;

  /**
   * @param groupPrefix the beginning of the names of the stage's log groups: CloudFormation names a log group after its
   * stack, and the stack's name contains the stage
   */
  constructor(settings: AwsSettings, groupPrefix: string) {
    this.#settings = settings;
    this.#groupPrefix = groupPrefix;
  }

  async find(ids: readonly string[], range: TimeRange): Promise<LogLine[]> {
    const groups = await this.#groups();
    const queries = Array.from({ length: Math.ceil(groups.length / groupsPerQuery) }, (_, position) =>
      this.#query(ids, range, groups.slice(position * groupsPerQuery, (position + 1) * groupsPerQuery)),
    );
    return parseLines((await Promise.all(queries)).flat());
  }

  async #groups(): Promise<string[]> {
    const names: string[] = [];
    let nextToken: string | undefined;
    do {
      const page = LogGroups.parse(
        await this.#call('DescribeLogGroups', { logGroupNamePrefix: this.#groupPrefix, nextToken }),
      );
      names.push(...page.logGroups.map(({ logGroupName }) => logGroupName));
      nextToken = page.nextToken;
    } while (nextToken !== undefined);
    return names;
  }

  async #query(ids: readonly string[], { from, to }: TimeRange, logGroupNames: readonly string[]): Promise<string[]> {
    const isWanted = ids.map((id) => `@message like "${id.replaceAll(/[^\w-]/g, '')}"`).join(' or ');
    const { queryId } = Query.parse(
      await this.#call('StartQuery', {
        logGroupNames,
        startTime: Math.floor(from.getTime() / 1000),
        endTime: Math.ceil(to.getTime() / 1000),
        queryString: `fields @message | filter ${isWanted} | sort @timestamp asc`,
        limit: linesPerQuery,
      }),
    );
    for (;;) {
      const { status, results } = Results.parse(await this.#call('GetQueryResults', { queryId }));
      if (status === 'Complete') {
        return results.flatMap((row) => row.filter(({ field }) => field === '@message').map(({ value }) => value));
      }
      if (status !== 'Scheduled' && status !== 'Running') {
        throw new CloudWatchError(`CloudWatch Logs ended the query ${queryId} as ${status}; try again`);
      }
      await pause(pollMs);
    }
  }

  async #call(action: string, input: object): Promise<unknown> {
    const region = await this.#settings.region();
    const endpoint = endpointFromEnvironment('CLOUDWATCH_LOGS') ?? `https://logs.${region}.amazonaws.com`;
    const body = JSON.stringify(input);
    const headers = {
      'content-type': 'application/x-amz-json-1.1',
      host: new URL(endpoint).host,
      'x-amz-target': `Logs_20140328.${action}`,
    };
    const credentials = await this.#settings.credentials();
    const response = await fetch(endpoint, {
      method: 'POST',
      headers: signedHeaders({ headers, body, service: 'logs', region }, credentials, new Date()),
      body,
    });
    const reply = await response.text();
    if (!response.ok) throw new CloudWatchError(`CloudWatch Logs refused ${action}: ${reply.slice(0, 300)}`);
    return JSON.parse(reply);
  }
}
