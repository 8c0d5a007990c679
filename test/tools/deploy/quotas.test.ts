import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { stageSettings } from '../../../infra/stages.ts';
import { AccountQuotas, QuotasUnreadableError } from '../../../tools/deploy/account-quotas.ts';
import { type AccountQuota, checkQuotas, quotaReport } from '../../../tools/deploy/quota-check.ts';
import { quotaNeedsOf, type Template } from '../../../tools/deploy/quota-needs.ts';
import { AwsError, createServiceServer, type ServiceRequest } from '../../../tools/local/aws-service/service-server.ts';
import { quotas } from '../../../tools/scale/quotas.ts';

const production = stageSettings('production');
const sandbox = stageSettings('sandbox');

const resources = (type: string, count: number, properties: object = {}) =>
  Object.fromEntries(
    Array.from({ length: count }, (_, position) => [`${type}-${position}`, { Type: type, Properties: properties }]),
  );
const templates: Template[] = [
  { Resources: { ...resources('AWS::ApiGateway::RestApi', 6), ...resources('AWS::CloudWatch::Alarm', 40) } },
  {
    Resources: {
      ...resources('AWS::Events::Rule', 7, { EventBusName: 'own' }),
      ...resources('AWS::CloudWatch::Alarm', 2),
      partner: { Type: 'AWS::Events::Rule', Properties: { EventBusName: 'partner' } },
    },
  },
  {},
];

const concurrency = (value: number): AccountQuota => ({
  ...{ service: 'lambda', code: 'L-B99A9384', name: 'Concurrent executions' },
  ...{ value, isAdjustable: true },
});
const verdictOn = (name: string, checks: ReturnType<typeof checkQuotas>) =>
  checks.find(({ quota }) => quota.name === name)?.verdict;

describe('the quotas that a stage needs', () => {
  const needs = quotaNeedsOf(production, templates);
  const needOf = (wanted: object) => needs.find(({ quota }) => quota === wanted);

  it('include the reserved concurrency and a hundred executions more', () => {
    expect(needOf(quotas.concurrency)).toMatchObject({ required: 650 });
    // The reserved 550, and one and a half times what the load needs.
    expect(needOf(quotas.concurrency)?.wanted).toBeGreaterThan(550 + 600);
  });

  it('allow one and a half times its load', () => {
    // Two requests for each of a thousand purchases, times one and a half.
    expect(needOf(quotas.gatewayRequests)).toMatchObject({ wanted: 3_000, required: 0 });
    expect(needOf(quotas.tableWrites)?.wanted).toBeGreaterThan(40_000);
    const small = quotaNeedsOf(sandbox, templates).find(({ quota }) => quota === quotas.gatewayRequests);
    expect(small).toMatchObject({ wanted: 30, required: 0 });
  });

  it('include the number of its APIs, alarms and stacks', () => {
    expect(needOf(quotas.regionalApis)).toMatchObject({ required: 6 });
    expect(needOf(quotas.alarms)).toMatchObject({ required: 42 });
    expect(needOf(quotas.busRules)).toMatchObject({ required: 7 });
    expect(needOf(quotas.stacks)).toMatchObject({ required: 3 });
    expect(needOf(quotas.stackResources)).toMatchObject({ required: 46 });
  });

  it('do not stop the deployment of the sandbox in a new account', () => {
    const ofNewAccount = checkQuotas(quotaNeedsOf(sandbox, templates), [concurrency(10)]);
    expect(ofNewAccount.filter(({ verdict }) => verdict === 'stop')).toEqual([]);
  });
});

describe('the comparison with an account', () => {
  const needs = quotaNeedsOf(production, templates);

  it.each([
    [10, 'stop'],
    [649, 'stop'],
    [650, 'raise'],
    [1_000, 'raise'],
    [2_000, 'enough'],
  ])('gives %i concurrent executions the verdict %s', (value, verdict) => {
    expect(verdictOn('Concurrent executions', checkQuotas(needs, [concurrency(value)]))).toBe(verdict);
  });

  it('assumes the default for a quota that Service Quotas does not list', () => {
    const checks = checkQuotas(needs, []);
    expect(verdictOn('Table-level write throughput limit', checks)).toBe('raise');
    expect(quotaReport(checks, 'us-east-1')).toContain('Service Quotas does not list it');
  });

  it('names the command for each quota that is too low', () => {
    const report = quotaReport(checkQuotas(needs, [concurrency(10)]), 'eu-west-1');
    const { wanted } = needs.find(({ quota }) => quota === quotas.concurrency) ?? {};

    expect(report.split('\n')[2]).toMatch(/^Concurrent executions .* too low for the deployment$/);
    expect(report).toContain(
      `aws service-quotas request-service-quota-increase --service-code lambda --quota-code L-B99A9384 --desired-value ${wanted} --region eu-west-1`,
    );
  });

  it('names no command for a fixed quota', () => {
    const fixed = { ...concurrency(10), isAdjustable: false };
    const report = quotaReport(checkQuotas(needs, [fixed]), 'us-east-1');
    expect(report).toContain('Concurrent executions cannot be raised.');
    expect(report).not.toContain('L-B99A9384 --desired');
  });

  it('finds a quota without a known code by its name', () => {
    const listed = {
      service: 'monitoring',
      code: 'L-1',
      name: 'Number of Metric Alarms',
      value: 3,
      isAdjustable: true,
    };
    expect(verdictOn('Alarms', checkQuotas(needs, [listed]))).toBe('stop');
    expect(verdictOn('Alarms', checkQuotas(needs, [{ ...listed, service: 'other' }]))).toBe('enough');
  });
});

/** Service Quotas with the protocol of AWS: two quotas of Lambda, one of which was raised for the account. */
class ServiceQuotas {
  readonly requests: ServiceRequest[] = [];
  refusal: AwsError | undefined;
  readonly #server = createServiceServer({
    contentType: 'application/x-amz-json-1.1',
    handle: (request) => {
      this.requests.push(request);
      if (this.refusal) throw this.refusal;
      const { ServiceCode, NextToken } = request.body as { ServiceCode: string; NextToken?: string };
      const quota = (QuotaCode: string, Value: number) => ({
        ...{ ServiceCode, QuotaCode, QuotaName: `Quota ${QuotaCode}`, Value, Adjustable: true },
      });
      const isApplied = request.headers['x-amz-target'] === 'ServiceQuotasV20190624.ListServiceQuotas';
      const all = isApplied ? [quota('L-1', 5_000)] : [quota('L-1', 1_000), quota('L-2', 75), quota('L-3', 1)];
      const end = Number(NextToken ?? 0) + 2;
      return { Quotas: all.slice(end - 2, end), ...(end < all.length && { NextToken: String(end) }) };
    },
  });

  start = () => this.#server.listen();
  stop = () => this.#server.close();
}

describe('the quotas of an account', () => {
  const service = new ServiceQuotas();
  const settings = {
    region: async () => 'us-east-1',
    credentials: async () => ({ accessKeyId: 'AKIATEST', secretAccessKey: 'secret', sessionToken: 'session' }),
  };
  let account: AccountQuotas;
  beforeAll(async () => {
    account = new AccountQuotas(settings, await service.start());
  });
  beforeEach(() => {
    service.refusal = undefined;
    service.requests.length = 0;
  });
  afterAll(() => service.stop());

  it('are the values applied to the account, else the defaults', async () => {
    const values = (await account.of(['lambda'])).map(({ code, value }) => [code, value]);
    expect(new Map(values.map(([code, value]) => [code, value]))).toEqual(
      new Map([
        ['L-1', 5_000],
        ['L-2', 75],
        ['L-3', 1],
      ]),
    );
    expect(service.requests).toHaveLength(3);
  });

  it('are asked for with signed requests', async () => {
    await account.of(['sqs']);
    for (const { headers, body } of service.requests) {
      expect(headers.authorization).toMatch(/^AWS4-HMAC-SHA256 Credential=AKIATEST\/\d{8}\/us-east-1\/servicequotas\//);
      expect(headers['x-amz-security-token']).toBe('session');
      expect(body).toMatchObject({ ServiceCode: 'sqs' });
    }
  });

  it('stay unknown when the service refuses or does not answer', async () => {
    service.refusal = new AwsError(
      'AccessDeniedException',
      'not authorized to perform servicequotas:ListServiceQuotas',
    );
    await expect(account.of(['lambda'])).rejects.toThrow(/AccessDeniedException/);
    await expect(account.of(['lambda'])).rejects.toThrow(QuotasUnreadableError);
    const nobody = new AccountQuotas(settings, 'http://127.0.0.1:9');
    await expect(nobody.of(['lambda'])).rejects.toThrow(QuotasUnreadableError);
  });
});
