import { createServer, type IncomingMessage, type Server } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { close, listen, toUrl } from '../../../tools/local/ports.ts';
import { makeWorld, type World } from '../../support/world.ts';
import { run } from './command-line.ts';

/** The command line on a deployed stage. An HTTP server answers in place of CloudFormation and STS. */

const arn = 'arn:aws:sts::123456789012:assumed-role/Operator/ada';
let world: World;
let services: Server;
/** The requests: form fields of AWS's query protocol. */
let asked: Record<string, string>[] = [];
let stack: { readonly status: number; readonly body: string };

const describedStack = (outputs: string) => `
  <DescribeStacksResponse xmlns="http://cloudformation.amazonaws.com/doc/2010-05-15/"><DescribeStacksResult><Stacks><member>
    <StackName>rewards</StackName><CreationTime>2026-01-01T00:00:00Z</CreationTime><StackStatus>CREATE_COMPLETE</StackStatus>
    <Outputs>${outputs}</Outputs>
  </member></Stacks></DescribeStacksResult></DescribeStacksResponse>`;
const output = (key: string, value: string) =>
  `<member><OutputKey>${key}</OutputKey><OutputValue>${value}</OutputValue></member>`;
const refusal = (code: string, message: string) => `
  <ErrorResponse xmlns="http://cloudformation.amazonaws.com/doc/2010-05-15/">
    <Error><Type>Sender</Type><Code>${code}</Code><Message>${message}</Message></Error>
  </ErrorResponse>`;
const identity = `
  <GetCallerIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><GetCallerIdentityResult>
    <Arn>${arn}</Arn><UserId>AROA:ada</UserId><Account>123456789012</Account>
  </GetCallerIdentityResult></GetCallerIdentityResponse>`;

async function replyTo(request: IncomingMessage) {
  const fields = Object.fromEntries(new URLSearchParams(await text(request)));
  asked.push(fields);
  return fields.Action === 'GetCallerIdentity' ? { status: 200, body: identity } : stack;
}

beforeAll(async () => {
  world = await makeWorld();
  services = createServer(async (request, response) => {
    const { status, body } = await replyTo(request);
    response.writeHead(status, { 'Content-Type': 'text/xml' }).end(body);
  });
  const endpoint = toUrl(await listen(services));
  Object.assign(process.env, { AWS_ENDPOINT_URL_CLOUDFORMATION: endpoint, AWS_ENDPOINT_URL_STS: endpoint });
});

beforeEach(() => {
  asked = [];
  const outputs = output('BusName', 'bus') + output('TableName', world.table.name);
  stack = { status: 200, body: describedStack(outputs) };
});

afterAll(async () => {
  delete process.env.AWS_ENDPOINT_URL_CLOUDFORMATION;
  delete process.env.AWS_ENDPOINT_URL_STS;
  await close(services);
});

describe('a deployed stage', () => {
  it.each(['sandbox', 'production'])('is found by an output of its stack, with --stage %s', async (stage) => {
    const { status, json } = await run(['organisation', 'list', '--json', '--stage', stage]);

    expect(status).toBe(0);
    expect(json.organisations).toHaveLength(3);
    expect(asked).toEqual([expect.objectContaining({ Action: 'DescribeStacks', StackName: `rewards-${stage}-data` })]);
  });

  it("records the operator's AWS identity in its audit trail", async () => {
    const named = ['--json', '--stage', 'sandbox', '--actor', 'Grace'];
    const { json } = await run(['key', 'create', '1', ...named]);
    const audit = await run(['audit', 'list', ...named]);

    expect(json.key.secret).toMatch(/^rwk_sandbox_/);
    expect(audit.json.entries[0]).toMatchObject({ operator: arn, actor: 'Grace', command: 'key create' });
    expect(asked.map(({ Action }) => Action)).toEqual(['DescribeStacks', 'GetCallerIdentity', 'DescribeStacks']);
  });

  it('gets user tokens on sandbox, but none on production', async () => {
    const issue = ['token', 'issue', 'cc-1001', '--of', 'Corner Coffee', '--json', '--yes', '--stage'];
    const refused = await run([...issue, 'production']);

    expect((await run([...issue, 'sandbox'])).json.accessToken).toMatch(/^rwu_sandbox_/);
    expect(refused).toMatchObject({ status: 1, out: '' });
    expect(refused.err).toMatch(/^on production only members themselves/);
  });

  it('gets test identities once on sandbox, and none on production', async () => {
    const create = ['member', 'test-identities', '--merchant', '1', '--program', '2', '--json', '--stage'];
    const refused = await run([...create, 'production']);
    expect(refused).toMatchObject({ status: 1, out: '' });
    expect(refused.err).toMatch(/^test identities force outcomes, so production has none/);

    const outcomesOf = async () =>
      (await run([...create, 'sandbox'])).json.identities.map(({ outcome }: { outcome: string }) => outcome);
    expect(await outcomesOf()).toEqual(Array(5).fill('created'));
    expect(await outcomesOf()).toEqual(Array(5).fill('unchanged'));
  });

  it.each([
    [
      'does not exist',
      'ValidationError',
      'Stack with id rewards-sandbox-data does not exist',
      'in us-east-1 for these',
    ],
    ['is not readable', 'AccessDenied', 'User: ada is not authorized', 'docs/runbook.md lists the rights'],
    ['is read with expired credentials', 'ExpiredToken', 'The security token is expired', 'log in again'],
  ])('causes an error that names the next step when its stack %s', async (_, code, message, expected) => {
    stack = { status: code === 'AccessDenied' ? 403 : 400, body: refusal(code, message) };
    const { status, out, err } = await run(['organisation', 'list', '--stage', 'sandbox']);

    expect({ status, out }).toEqual({ status: 1, out: '' });
    expect(err).toContain(expected);
    expect(err.trim().split('\n')).toHaveLength(1);
  });

  it('causes an error when its stack has no table', async () => {
    stack = { status: 200, body: describedStack(output('BusName', 'bus')) };
    const { err } = await run(['organisation', 'list', '--stage', 'sandbox']);

    expect(err).toBe('the stack rewards-sandbox-data has no output TableName\n');
  });
});
