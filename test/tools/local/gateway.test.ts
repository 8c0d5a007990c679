import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Fixture, startFixture } from './support/fixture.ts';

let fixture: Fixture;
let base = '';

beforeAll(async () => {
  fixture = await startFixture('gateway', { integrationLimitMs: 2_000 });
  base = fixture.platform.hosts.base ?? '';
}, 30_000);

afterAll(() => fixture.stop());

/** Sends a GET with exactly these headers. */
async function exchange(url: string, headers: readonly string[]) {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request(url, { headers: [...headers] }, resolve)
      .on('error', reject)
      .end();
  });
  const body = await text(response);
  return {
    status: response.statusCode,
    body: body === '' ? undefined : JSON.parse(body),
    requestId: response.headers['x-amzn-requestid'],
  };
}

const ok = { return: { statusCode: 200, body: '' } };
const uuid = expect.stringMatching(/^[0-9a-f-]{36}$/);

describe('the event from the local gateway', () => {
  it('has all fields of payload format 1.0', async () => {
    fixture.puppeteer.play(() => ok);

    await fetch(`${base}/users/a%20b?tag=x&tag=y&q=%C3%A9`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-Api-Key': 'key', 'User-Agent': 'test/1' },
      body: '{"a":1}',
    });

    const [call] = await fixture.puppeteer.until(1);
    const { host } = new URL(base);
    const headers = {
      host,
      'Content-Type': 'application/json',
      'X-Api-Key': 'key',
      'User-Agent': 'test/1',
      'X-Forwarded-For': '127.0.0.1',
      'X-Forwarded-Port': host.split(':')[1],
      'X-Forwarded-Proto': 'http',
      'X-Amzn-Trace-Id': expect.stringMatching(/^Root=1-[0-9a-f]{8}-[0-9a-f]{24}$/),
    };
    expect(call?.event).toEqual({
      resource: '/users/{id}',
      path: '/users/a%20b',
      httpMethod: 'POST',
      headers: expect.objectContaining(headers),
      multiValueHeaders: expect.objectContaining({ 'X-Api-Key': ['key'] }),
      queryStringParameters: { tag: 'y', q: 'é' },
      multiValueQueryStringParameters: { tag: ['x', 'y'], q: ['é'] },
      pathParameters: { id: 'a b' },
      stageVariables: null,
      requestContext: {
        accountId: '000000000000',
        apiId: expect.stringMatching(/^[a-z0-9]{10}$/),
        domainName: '127.0.0.1',
        domainPrefix: '127',
        extendedRequestId: expect.any(String),
        httpMethod: 'POST',
        identity: {
          accessKey: null,
          accountId: null,
          caller: null,
          cognitoAuthenticationProvider: null,
          cognitoAuthenticationType: null,
          cognitoIdentityId: null,
          cognitoIdentityPoolId: null,
          principalOrgId: null,
          sourceIp: '127.0.0.1',
          user: null,
          userAgent: 'test/1',
          userArn: null,
        },
        path: '/users/a%20b',
        protocol: 'HTTP/1.1',
        requestId: uuid,
        requestTime: expect.stringMatching(/^\d{2}\/[A-Z][a-z]{2}\/\d{4}:\d{2}:\d{2}:\d{2} \+0000$/),
        requestTimeEpoch: expect.any(Number),
        resourceId: expect.stringMatching(/^[a-z0-9]{10}$/),
        resourcePath: '/users/{id}',
        stage: 'local',
      },
      body: '{"a":1}',
      isBase64Encoded: false,
    });
  });

  it('contains null for absent parts of the request', async () => {
    fixture.puppeteer.play(() => ok);

    await fetch(`${base}/users/me`);

    const [call] = await fixture.puppeteer.until(1);
    expect(call?.event).toMatchObject({
      resource: '/users/me',
      body: null,
      queryStringParameters: null,
      multiValueQueryStringParameters: null,
      pathParameters: null,
    });
  });

  it('contains all headers as the caller spelled them', async () => {
    fixture.puppeteer.play(() => ok);

    await new Promise((resolve, reject) => {
      const headers = ['Host', 'example.test', 'X-Many', 'a', 'X-Many', 'b', 'X-Forwarded-For', '203.0.113.9'];
      request(`${base}/users/1`, { headers }, resolve).on('error', reject).end();
    });

    const [call] = await fixture.puppeteer.until(1);
    expect(call?.event.headers).toMatchObject({ 'X-Many': 'b', 'X-Forwarded-For': '203.0.113.9, 127.0.0.1' });
    expect(call?.event.multiValueHeaders).toMatchObject({ 'X-Many': ['a', 'b'] });
    expect(call?.event.requestContext).toMatchObject({ domainName: 'example.test', domainPrefix: 'example' });
  });

  it('contains a binary body as base64', async () => {
    fixture.puppeteer.play(() => ok);

    const bytes = Buffer.from([0, 255, 1]);
    await fetch(`${base}/users/1`, { method: 'POST', headers: { 'content-type': 'image/png' }, body: bytes });

    const [call] = await fixture.puppeteer.until(1);
    expect(call?.event).toMatchObject({ body: bytes.toString('base64'), isBase64Encoded: true });
  });

  it("comes with Lambda's context and environment", async () => {
    fixture.puppeteer.play(() => ok);

    await fetch(`${base}/users/1`);

    const [call] = await fixture.puppeteer.until(1);
    expect(call?.context).toMatchObject({
      functionName: 'gateway-work-Endpoint',
      invokedFunctionArn: 'arn:aws:lambda:us-east-1:000000000000:function:gateway-work-Endpoint',
      memoryLimitInMB: '256',
      awsRequestId: uuid,
    });
    expect(call?.context.remainingMs).toBeGreaterThan(4_000);
    expect(call?.env).toMatchObject({
      AWS_REGION: 'us-east-1',
      AWS_LAMBDA_FUNCTION_NAME: 'gateway-work-Endpoint',
      AWS_ENDPOINT_URL_DYNAMODB: fixture.platform.aws.dynamodb,
      AWS_ENDPOINT_URL_SQS: fixture.platform.aws.sqs,
      AWS_ENDPOINT_URL_EVENTBRIDGE: fixture.platform.aws.events,
      AWS_ENDPOINT_URL_SCHEDULER: fixture.platform.aws.scheduler,
      TABLE_NAME: 'gateway-data-Table',
    });
  });
});

describe('a function’s reply to the local gateway', () => {
  it('is sent with its status, headers and body', async () => {
    const headers = { 'X-One': '1', 'WWW-Authenticate': 'Bearer' };
    const multiValueHeaders = { 'Set-Cookie': ['a=1', 'b=2'] };
    fixture.puppeteer.play(() => ({ return: { statusCode: 201, headers, multiValueHeaders, body: '{"done":true}' } }));

    const response = await fetch(`${base}/users/1`);

    expect(response.status).toBe(201);
    expect(await response.json()).toEqual({ done: true });
    expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
    expect(response.headers.get('x-one')).toBe('1');
    // API Gateway renames the header `www-authenticate` of a function's reply.
    expect(response.headers.get('www-authenticate')).toBeNull();
    expect(response.headers.get('x-amzn-remapped-www-authenticate')).toBe('Bearer');
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(response.headers.get('x-amzn-requestid')).toMatch(/^[0-9a-f-]{36}$/);
  });

  it.each([
    ['not an object', 'text'],
    ['without a status', { body: 'x' }],
    ['with a body that is not text', { statusCode: 200, body: { a: 1 } }],
    ['larger than 6 MB', { statusCode: 200, body: 'x'.repeat(7 * 1024 * 1024) }],
  ])('is replaced by an error when it is %s', async (_case, result) => {
    fixture.puppeteer.play(() => ({ return: result }));

    const response = await fetch(`${base}/users/1`);

    expect(response.status).toBe(500);
    expect(await response.json()).toMatchObject({ error: 'unexpected_error' });
  });
});

describe('the local gateway’s own reply', () => {
  it.each([
    ['GET', '/nothing'],
    ['GET', '/users'],
    ['DELETE', '/users/1'],
    ['GET', '/users/1/more'],
  ])('is 404 for the unknown route %s %s', async (method, path) => {
    const response = await fetch(`${base}${path}`, { method });

    expect(response.status).toBe(404);
    const body = await response.json();
    expect(body).toEqual({ error: 'not_found', request_id: response.headers.get('x-request-id') });
  });

  it('is 413 for a body over 10 MB', async () => {
    fixture.puppeteer.play(() => ok);
    const post = (size: number) => fetch(`${base}/users/1`, { method: 'POST', body: 'x'.repeat(size) });

    const [tooLarge, largest] = await Promise.all([post(10 * 1024 * 1024 + 1), post(10 * 1024 * 1024)]);

    expect(tooLarge.status).toBe(413);
    expect(await tooLarge.json()).toMatchObject({ error: 'request_too_large' });
    expect(largest.status).toBe(200);
  });

  it('is 431 for headers over 10,240 bytes', async () => {
    fixture.puppeteer.play(() => ok);
    const { host } = new URL(base);
    const others = `Host: ${host}\r\nConnection: close\r\n`.length;
    const send = (bytes: number) => {
      const padding = bytes - others - 2 * 'X-A: \r\n'.length;
      const values = ['x'.repeat(padding - 5_000), 'y'.repeat(5_000)];
      const headers = ['Host', host, 'Connection', 'close', ...values.flatMap((value) => ['X-A', value])];
      return exchange(`${base}/users/1`, headers);
    };

    expect((await send(10_240)).status).toBe(200);
    expect(await send(10_241)).toEqual({
      status: 431,
      body: { message: 'HTTP header is larger than 10240 bytes.' },
      requestId: uuid,
    });
    expect((await send(200_000)).status).toBe(431);
  });

  it('is 414 for a request line over 10,240 bytes', async () => {
    fixture.puppeteer.play(() => ok);
    const send = (bytes: number) => {
      const line = 'GET /users/1?q= HTTP/1.1';
      return exchange(`${base}/users/1?q=${'x'.repeat(bytes - line.length)}`, ['Host', new URL(base).host]);
    };

    expect((await send(10_240)).status).toBe(200);
    expect(await send(10_241)).toEqual({
      status: 414,
      body: { message: 'An HTTP line is larger than 10240 bytes.' },
      requestId: uuid,
    });
  });

  it('is an error when the function throws', async () => {
    fixture.puppeteer.play(() => ({ throw: 'broken' }));

    const response = await fetch(`${base}/users/1`);

    expect(response.status).toBe(500);
    expect(await response.json()).toMatchObject({ error: 'unexpected_error' });
  });

  it('is an error after the integration timeout', async () => {
    fixture.puppeteer.play(() => ({ hang: true }));

    const started = performance.now();
    const response = await fetch(`${base}/users/1`);

    expect(response.status).toBe(500);
    expect(performance.now() - started).toBeLessThan(4_500);
  });
});

describe('the timeout of a function', () => {
  it.each([{ hang: true }, { spin: true }])('kills the worker when the function does not return: %o', async (order) => {
    fixture.puppeteer.play(({ name }) => (name === 'Hasty' ? order : ok));
    const response = await fetch(`${base}/hurry`);
    expect(response.status).toBe(500);

    fixture.puppeteer.play(() => ({ return: { statusCode: 200, body: 'again' } }));
    const next = await fetch(`${base}/hurry`);
    expect(await next.text()).toBe('again');
  });
});

it('the local gateway answers the next request after a client disconnected during its request', async () => {
  fixture.puppeteer.play(() => ok);
  const left = request(`${base}/users/1`, { method: 'POST', headers: { 'content-length': '100' } });
  left.on('error', () => undefined);
  left.write('half');
  await new Promise((resolve) => left.once('socket', (socket) => socket.once('connect', resolve)));
  left.destroy();

  const response = await fetch(`${base}/users/1`);

  expect(response.status).toBe(200);
  expect(await response.text()).toBe('');
});
