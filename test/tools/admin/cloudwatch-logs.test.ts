import { createServer, type Server } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { CloudWatchLogs } from '../../../tools/admin/logs/cloudwatch-logs.ts';
import { close, listen, toUrl } from '../../../tools/local/ports.ts';

/** An HTTP server answers in place of CloudWatch Logs. */

/** The inputs of all actions. */
const Input = z.object({
  ...{ nextToken: z.optional(z.string()), queryId: z.optional(z.string()), queryString: z.optional(z.string()) },
  ...{ startTime: z.optional(z.int()), endTime: z.optional(z.int()) },
  logGroupNames: z._default(z.array(z.string()), []),
});

interface Call {
  readonly action: string;
  readonly authorization: string;
  readonly input: z.infer<typeof Input>;
}

let service: Server;
let calls: Call[] = [];
/** The states of the queries, one for each poll. */
let states: string[] = [];

const id = '5f0d9a3e-6f4c-4b8e-9d3b-0a1f8c2e7d11';
const lineAt = (second: number) =>
  JSON.stringify({ timestamp: `2026-11-23T10:00:0${second}.000Z`, message: 'request', requestId: id, status: 200 });
const groupsOf = (from: number, count: number) =>
  Array.from({ length: count }, (_, index) => ({ logGroupName: `rewards-sandbox-consumers-Log${from + index}` }));
const rows = (...messages: string[]) =>
  messages.map((value) => [
    { field: '@message', value },
    { field: '@ptr', value: 'x' },
  ]);

function replyTo({ action, input }: Call): { readonly status: number; readonly body: unknown } {
  if (action === 'DescribeLogGroups') {
    const isFirst = input.nextToken === undefined;
    const body = isFirst ? { logGroups: groupsOf(0, 50), nextToken: 'more' } : { logGroups: groupsOf(50, 3) };
    return { status: 200, body };
  }
  if (action === 'StartQuery') return { status: 200, body: { queryId: `query-${input.logGroupNames.length}` } };
  const status = states.shift() ?? 'Complete';
  const lines = input.queryId === 'query-50' ? rows(lineAt(2), 'START RequestId') : rows(lineAt(1));
  return { status: 200, body: { status, results: status === 'Complete' ? lines : [] } };
}

let refused: string | undefined;
beforeAll(async () => {
  service = createServer(async (request, response) => {
    const target = String(request.headers['x-amz-target']);
    const action = target.replace('Logs_20140328.', '');
    const call = {
      action,
      authorization: String(request.headers.authorization),
      input: Input.parse(JSON.parse(await text(request))),
    };
    calls.push(call);
    const { status, body } = action === refused ? { status: 400, body: { __type: 'AccessDenied' } } : replyTo(call);
    response.writeHead(status).end(JSON.stringify(body));
  });
  process.env.AWS_ENDPOINT_URL_CLOUDWATCH_LOGS = toUrl(await listen(service));
});
beforeEach(() => {
  calls = [];
  states = [];
  refused = undefined;
});
afterAll(async () => {
  delete process.env.AWS_ENDPOINT_URL_CLOUDWATCH_LOGS;
  await close(service);
});

const settings = {
  region: async () => 'us-east-1',
  credentials: async () => ({ accessKeyId: 'key', secretAccessKey: 'secret' }),
};
const range = { from: new Date('2026-11-22T00:00:00.500Z'), to: new Date('2026-11-24T00:00:00.500Z') };
const find = (...ids: string[]) => new CloudWatchLogs(settings, 'rewards-sandbox-').find(ids, range);
const callsOf = (action: string) => calls.filter((call) => call.action === action);

describe('the logs of a deployed stage', () => {
  it('are read from at most fifty groups per query', async () => {
    states = ['Running', 'Complete', 'Scheduled'];
    const lines = await find(id);

    expect(lines.map(({ timestamp }) => timestamp)).toEqual(['2026-11-23T10:00:01.000Z', '2026-11-23T10:00:02.000Z']);
    expect(callsOf('StartQuery').map(({ input }) => input.logGroupNames.length)).toEqual([50, 3]);
    expect(callsOf('StartQuery')[0]?.input).toMatchObject({
      startTime: Date.parse('2026-11-22T00:00:00Z') / 1000,
      endTime: Date.parse('2026-11-24T00:00:01Z') / 1000,
      queryString: `fields @message | filter @message like "${id}" | sort @timestamp asc`,
    });
    expect(callsOf('DescribeLogGroups')[0]?.authorization).toContain('/us-east-1/logs/aws4_request');
  });

  it('are searched for an id after all query syntax is removed from the id', async () => {
    await find('a" or 1 = 1 | delete "', 'b');
    const { queryString } = callsOf('StartQuery')[0]?.input ?? {};
    expect(queryString).toBe(
      'fields @message | filter @message like "aor11delete" or @message like "b" | sort @timestamp asc',
    );
  });

  it.each([
    ['a call is refused', 'StartQuery', [], /^CloudWatch Logs refused StartQuery: .*AccessDenied/],
    ['a query fails', undefined, ['Failed', 'Failed'], /^CloudWatch Logs ended the query query-\d+ as Failed/],
  ])('cause a readable error when %s', async (_, refusedAction, found, sentence) => {
    refused = refusedAction;
    states = [...found];
    await expect(find(id)).rejects.toThrow(sentence);
  });
});
