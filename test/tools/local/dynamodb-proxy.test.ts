import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { callAws, dynamoDbService } from '../../../tools/local/aws-json.ts';
import { type Fixture, startFixture } from './support/fixture.ts';
import type { PuppetAction } from './support/puppeteer.ts';

let fixture: Fixture;
let TableName = '';

beforeAll(async () => {
  fixture = await startFixture('proxied', { recordDynamoDb: true, enforceIam: true, faults: 1 });
  TableName = fixture.platform.aws.table;
}, 30_000);

afterAll(() => fixture.stop());
beforeEach(() => {
  fixture.platform.faults.clear();
  fixture.platform.clearCalls();
});

type Call = NonNullable<PuppetAction['dynamodb']>[number];
interface Answer {
  readonly status: number;
  readonly body: { readonly __type?: string; readonly message?: string; readonly CancellationReasons?: object[] };
}

const key = (pk: string): object => ({ pk: { S: pk }, sk: { S: 'A' } });
const put = (pk: string): Call => ({ operation: 'PutItem', input: { TableName, Item: key(pk) } });
const get = (pk: string): Call => ({ operation: 'GetItem', input: { TableName, Key: key(pk) } });
const transact = (...pks: string[]): Call => ({
  operation: 'TransactWriteItems',
  input: { TransactItems: pks.map((pk) => ({ Put: { TableName, Item: key(pk) } })) },
});

/** Lets the function make these calls. Returns the replies of DynamoDB. */
async function makeCalls(...dynamodb: Call[]): Promise<Answer[]> {
  fixture.puppeteer.play(() => ({ dynamodb }));
  const { payload, error } = await fixture.platform.invoke('Endpoint', {});
  if (error) throw new Error(error.errorMessage);
  return JSON.parse(payload ?? '');
}

async function exists(pk: string): Promise<boolean> {
  const service = dynamoDbService(fixture.platform.aws.dynamodb);
  const { Item } = await callAws<{ Item?: object }>(service, 'GetItem', { TableName, Key: key(pk) });
  return Item !== undefined;
}

describe("the proxy's record of a call", () => {
  it('contains caller, operation, keys, capacity and times', async () => {
    await makeCalls(transact('USER#1', 'USER#2'), get('USER#1'));

    const [write, read] = fixture.platform.calls();
    expect(write).toMatchObject({
      caller: 'Endpoint',
      operation: 'TransactWriteItems',
      keys: ['USER#1 / A', 'USER#2 / A'],
      partCount: 2,
      readUnits: 0,
      // Two items. DynamoDB counts each item of a transaction twice.
      writeUnits: 4,
      status: 200,
    });
    expect(read).toMatchObject({ operation: 'GetItem', keys: ['USER#1 / A'], readUnits: 0.5, writeUnits: 0 });
    expect(write?.endedAt).toBeGreaterThan(write?.startedAt ?? Number.POSITIVE_INFINITY);
  });

  it('contains the capacity that indexes consumed', async () => {
    const Item = { ...key('USER#3'), ownerPk: { S: 'OWNER#1' }, ownerSk: { S: '1' } };
    const query = {
      TableName,
      IndexName: 'byOwner',
      KeyConditionExpression: '#owner = :owner',
      ExpressionAttributeNames: { '#owner': 'ownerPk' },
      ExpressionAttributeValues: { ':owner': { S: 'OWNER#1' } },
    };

    await makeCalls({ operation: 'PutItem', input: { TableName, Item } }, { operation: 'Query', input: query });

    const [write, read] = fixture.platform.calls();
    expect(write).toMatchObject({ writeUnits: 2, unitsByIndex: { byOwner: 1 } });
    expect(read).toMatchObject({ indexes: ['byOwner'], keys: ['OWNER#1'], unitsByIndex: { byOwner: 0.5 } });
  });

  it('contains the capacity of writes that DynamoDB Local does not return', async () => {
    const owned = (sort: string) => ({ ...key('USER#5'), ownerPk: { S: 'OWNER#2' }, ownerSk: { S: sort } });
    const large = { ...key('USER#6'), text: { S: 'x'.repeat(1500) } };
    const write = (...items: object[]): Call => ({
      operation: 'TransactWriteItems',
      input: { TransactItems: items.map((Item) => ({ Put: { TableName, Item } })) },
    });

    await makeCalls(write(owned('1'), large, key('USER#7')), write(owned('2')), write(owned('2')));

    const [first, moved, unchanged] = fixture.platform.calls();
    expect(first).toMatchObject({ writeUnits: 2 + 2 + 4 + 1, unitsByIndex: { byOwner: 1 } });
    expect(moved).toMatchObject({ writeUnits: 2 + 2, unitsByIndex: { byOwner: 2 } });
    expect(unchanged).toMatchObject({ writeUnits: 2, unitsByIndex: {} });
  });

  it('leaves the caller’s reply unchanged', async () => {
    const [notAsking, asking] = await makeCalls(get('USER#1'), {
      operation: 'GetItem',
      input: { TableName, Key: key('USER#1'), ReturnConsumedCapacity: 'TOTAL' },
    });

    expect(notAsking?.body).not.toHaveProperty('ConsumedCapacity');
    expect(asking?.body).toHaveProperty('ConsumedCapacity');
  });
});

describe('the proxy, which checks the role of a function', () => {
  it.each<[string, () => Call, RegExp]>([
    ['a partition without permission', () => put('CAMPAIGN#1'), /PutItem.*CAMPAIGN#1/],
    ['a DynamoDB transaction with one forbidden item', () => transact('USER#1', 'CAMPAIGN#1'), /PutItem.*CAMPAIGN#1/],
    [
      'an action without permission',
      () => ({ operation: 'DeleteItem', input: { TableName, Key: key('USER#1') } }),
      /DeleteItem/,
    ],
    ['a scan', () => ({ operation: 'Scan', input: { TableName } }), /Scan/],
    [
      'a query of the table by a function that may only query the index',
      () => ({ operation: 'Query', input: { TableName } }),
      /Query/,
    ],
  ])('refuses %s', async (_case, call, message) => {
    const [answer] = await makeCalls(call());

    expect(answer?.status).toBe(400);
    expect(answer?.body.__type).toMatch(/#AccessDeniedException$/);
    expect(answer?.body.message).toMatch(message);
  });

  it('does not restrict the operator', async () => {
    const service = dynamoDbService(fixture.platform.aws.dynamodb);

    await callAws(service, 'PutItem', { TableName, Item: key('CAMPAIGN#2') });

    expect(await exists('CAMPAIGN#2')).toBe(true);
  });
});

describe('an injected fault', () => {
  it('makes the nth call fail with the error of AWS', async () => {
    const fault = fixture.platform.faults.add({
      fault: 'TransactionConflict',
      operation: 'TransactWriteItems',
      nth: 2,
    });
    const [first, second, third] = [randomUUID(), randomUUID(), randomUUID()].map((id) => `USER#${id}`);

    const answers = await makeCalls(...[first, second, third].map((pk) => transact(`${pk}`, `${pk}-other`)));

    expect(answers.map(({ status }) => status)).toEqual([200, 400, 200]);
    expect(answers[1]?.body.__type).toMatch(/#TransactionCanceledException$/);
    expect(answers[1]?.body.CancellationReasons).toEqual([
      { Code: 'TransactionConflict', Message: expect.any(String) },
      { Code: 'None' },
    ]);
    expect(await exists(`${second}`)).toBe(false);
    expect(fault.hits).toBe(1);
  });

  it.each([
    ['ProvisionedThroughputExceeded', 'ProvisionedThroughputExceededException'],
    ['Throttling', 'ThrottlingException'],
    ['TransactionConflict', 'TransactionConflictException'],
  ] as const)('of the kind %s makes a call outside DynamoDB transactions fail with %s', async (fault, exception) => {
    fixture.platform.faults.add({ fault, function: 'Endpoint', operation: 'PutItem' });

    const [answer] = await makeCalls(put('USER#9'));

    expect(answer?.body.__type).toMatch(new RegExp(`#${exception}$`));
  });

  it('with a probability makes only some calls fail', async () => {
    fixture.platform.faults.add({ fault: 'Throttling', probability: 0.5 });

    const answers = await makeCalls(...Array.from({ length: 12 }, () => get('USER#1')));

    const statuses = answers.map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([200, 400]));
    expect(statuses.filter((status) => status === 400)).toHaveLength(
      fixture.platform.calls().filter(({ fault }) => fault).length,
    );
  });

  it.each([
    ['killBefore', false],
    ['killAfter', true],
  ] as const)('of the kind %s kills the worker (the item is written: %s)', async (fault, isWritten) => {
    const pk = `USER#${randomUUID()}`;
    fixture.platform.faults.add({ fault, function: 'Endpoint', operation: 'PutItem', nth: 1 });
    fixture.puppeteer.play(() => ({ dynamodb: [put(pk)] }));

    const { error } = await fixture.platform.invoke('Endpoint', {});

    expect(error?.errorType).toBe('Runtime.ExitError');
    expect(await exists(pk)).toBe(isWritten);
    const [again] = await makeCalls(get(pk));
    expect(again?.status).toBe(200);
  });
});

it('the local platform writes the output of each function to its own log file', async () => {
  fixture.puppeteer.play(() => ({ log: '{"message":"said"}', throw: 'broken' }));

  await fixture.platform.invoke('Endpoint', {});

  const lines = readFileSync(join(fixture.platform.logs, 'Endpoint.log'), 'utf8').trim().split('\n').slice(-2);
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    { message: 'said' },
    expect.objectContaining({ level: 'ERROR', errorType: 'Error', errorMessage: 'broken' }),
  ]);
});
