import { describe, expect, it } from 'vitest';
import { contracts } from '../../functions/contracts.ts';
import { stageSettings } from '../../infra/stages.ts';
import { crossOriginHeaders, hosts } from '../../shared/contracts/contract.ts';
import {
  folderOf,
  type Json,
  type JsonObject,
  logicalId,
  type Resource,
  type Synthesized,
  synthesized,
  textOf,
} from './support/synthesized.ts';

/** The route of a method, such as `GET /users/{id}`, from its chain of resources. */
function route({ referredBy }: Synthesized, { Properties }: Resource): string {
  const path = (resourceId: Json | undefined): string => {
    if (!logicalId(resourceId) || textOf(resourceId).includes('RootResourceId')) return '';
    const resource = referredBy(resourceId);
    return `${path(resource.Properties.ParentId)}/${resource.Properties.PathPart}`;
  };
  return `${Properties.HttpMethod} ${path(Properties.ResourceId)}`;
}

/** The folder of the Lambda that a method calls by its alias. */
function calledFolder({ ofType, referredBy }: Synthesized, { Properties }: Resource): string | undefined {
  const uri = textOf((Properties.Integration as JsonObject).Uri);
  const alias = ofType('AWS::Lambda::Alias').find(({ id }) => uri.includes(id));
  return alias && folderOf(referredBy(alias.Properties.FunctionName).Properties);
}

const refusals = [
  { type: 'MISSING_AUTHENTICATION_TOKEN', status: '404', identifier: 'not_found' },
  { type: 'INVALID_SIGNATURE', status: '404', identifier: 'not_found' },
  { type: 'THROTTLED', status: '429', identifier: 'rate_limit_exceeded' },
  { type: 'WAF_FILTERED', status: '429', identifier: 'rate_limit_exceeded' },
  { type: 'REQUEST_TOO_LARGE', status: '413', identifier: 'request_too_large' },
  { type: 'DEFAULT_4XX', status: undefined, identifier: 'invalid_request' },
  { type: 'DEFAULT_5XX', status: '500', identifier: 'unexpected_error' },
];

describe.each(['sandbox', 'production'] as const)('the %s hosts', (stage) => {
  const app = synthesized(stage);
  const { only, referredBy, outputs } = app;
  const acl = app.ofType('AWS::WAFv2::WebACL').find(({ Properties }) => Properties.Scope === 'REGIONAL');
  if (!acl) throw new Error('the hosts have no firewall');
  const rules = acl.Properties.Rules as unknown as Readonly<Record<string, Json>>[];
  const hostOf = (api: Resource) => hosts.find((host) => String(api.Properties.Name).endsWith(`-${host}`));
  const apis = app.ofType('AWS::ApiGateway::RestApi').filter(hostOf);
  /** The resources of a type that belong to the APIs of the six hosts. */
  const ofType = (type: string) =>
    app.ofType(type).filter(({ Properties }) => hostOf(referredBy(Properties.RestApiId)) !== undefined);

  it('are six regional APIs, with the base URLs as outputs', () => {
    expect(apis.map(hostOf).toSorted()).toEqual(hosts.toSorted());
    for (const api of apis) expect(api.Properties).toMatchObject({ EndpointConfiguration: { Types: ['REGIONAL'] } });
    expect(outputs.filter((name) => name === 'Url')).toHaveLength(hosts.length);
  });

  it('have one route and one Lambda for each contract', () => {
    const methods = ofType('AWS::ApiGateway::Method').filter(({ Properties }) => Properties.HttpMethod !== 'OPTIONS');
    const routed = methods.map((method) => ({
      host: hostOf(referredBy(method.Properties.RestApiId)),
      route: route(app, method),
      folder: calledFolder(app, method),
    }));
    const declared = contracts.map(({ host, name, method, path }) => {
      return { host, route: `${method} ${path}`, folder: `${host}/${name}` };
    });

    expect(new Set(routed)).toEqual(new Set(declared));
  });

  it('answer preflight requests for exactly the endpoints that browsers may call', () => {
    const preflights = ofType('AWS::ApiGateway::Method').filter(
      ({ Properties }) => Properties.HttpMethod === 'OPTIONS',
    );
    const asked = preflights.map((method) => ({
      host: hostOf(referredBy(method.Properties.RestApiId)),
      route: route(app, method),
    }));
    const forBrowsers = contracts.filter(({ isForBrowsers }) => isForBrowsers);

    expect(new Set(asked)).toEqual(new Set(forBrowsers.map(({ host, path }) => ({ host, route: `OPTIONS ${path}` }))));
    for (const { Properties } of preflights) {
      expect(Properties).toMatchObject({ AuthorizationType: 'NONE', Integration: { Type: 'MOCK' } });
      expect(textOf(Properties.Integration)).not.toContain('Allow-Credentials');
    }
    // A page of any origin may call these endpoints. So they must accept no credential that a browser adds by itself.
    for (const { credential } of forBrowsers) expect(['connectToken', 'none']).toContain(credential.kind);
  });

  it.each(refusals)("return the gateway's error $type in the error shape", ({ type, status, identifier }) => {
    const responses = ofType('AWS::ApiGateway::GatewayResponse').filter(
      ({ Properties }) => Properties.ResponseType === type,
    );

    expect(responses).toHaveLength(hosts.length);
    for (const { Properties } of responses) {
      const { 'application/json': body } = Properties.ResponseTemplates as { 'application/json': string };
      expect(Properties.StatusCode).toBe(status);
      expect(JSON.parse(body)).toEqual({
        error: identifier,
        message: expect.any(String),
        request_id: '$context.requestId',
      });
      expect(Properties.ResponseParameters).toMatchObject({
        'gatewayresponse.header.x-request-id': 'context.requestId',
        'gatewayresponse.header.Access-Control-Allow-Origin': "'*'",
        ...(status === '429' && { 'gatewayresponse.header.Retry-After': expect.stringMatching(/^'\d+'$/) }),
      });
    }
  });

  it('log errors and accesses without headers, query strings and bodies', () => {
    for (const { Properties } of ofType('AWS::ApiGateway::Stage')) {
      expect(Properties).toMatchObject({
        AccessLogSetting: { DestinationArn: expect.anything() },
        MethodSettings: [{ LoggingLevel: 'ERROR', DataTraceEnabled: false, MetricsEnabled: true }],
      });
      expect(textOf(Properties.AccessLogSetting)).not.toMatch(/header|querystring|context\.path\b/i);
    }
    expect(only('AWS::ApiGateway::Account').Properties).toHaveProperty('CloudWatchRoleArn');
  });

  it('are all protected by the web ACL', () => {
    const guarded = app.ofType('AWS::WAFv2::WebACLAssociation').map(({ Properties }) => textOf(Properties.ResourceArn));
    const stages = app.ofType('AWS::ApiGateway::Stage');

    expect(guarded).toHaveLength(stages.length);
    for (const { id } of stages) expect(guarded.filter((arn) => arn.includes(id))).toHaveLength(1);
  });

  it('limit guesses of secrets more tightly than other requests', () => {
    const [, secrets] = rules;
    const text = textOf(secrets?.Statement);
    for (const path of ['/oauth/token', '/connect/']) expect(text).toContain(path);
    const { perApiKey, perIp, secretsPerIp } = stageSettings(stage).webRateLimit;
    expect(secretsPerIp * 10).toBeLessThanOrEqual(Math.min(perApiKey, perIp));
  });

  it('count requests that match AWS’s rule groups, but block none', () => {
    const groups = rules.filter(({ Statement }) => textOf(Statement).includes('AWSManagedRules'));
    expect(groups).toHaveLength(3);
    for (const { OverrideAction } of groups) expect(OverrideAction).toEqual({ Count: {} });
  });

  it('log matches of the web ACL without keys, tokens and bodies', () => {
    const { DataProtectionConfig: config } = acl.Properties;
    for (const secret of ['x-api-key', 'authorization', 'QUERY_STRING', 'BODY'])
      expect(textOf(config)).toContain(secret);
    for (const { VisibilityConfig: visibility } of rules) {
      expect(visibility).toMatchObject({ SampledRequestsEnabled: true });
    }
    const { LogDestinationConfigs: targets, ...logging } = only('AWS::WAFv2::LoggingConfiguration').Properties;
    expect(textOf(targets)).toMatch(/:log-group:[^*]+$/);
    expect(logging).toMatchObject({ LoggingFilter: { DefaultBehavior: 'DROP' }, RedactedFields: [{ UriPath: {} }] });
  });

  it('limit requests per API key and per IP address', () => {
    const { rate_limit_exceeded: refusal } = acl.Properties.CustomResponseBodies as Record<string, { Content: string }>;
    const headers = Object.entries({ 'Retry-After': '300', ...crossOriginHeaders });
    const block = {
      CustomResponse: {
        ResponseCode: 429,
        CustomResponseBodyKey: 'rate_limit_exceeded',
        ResponseHeaders: headers.map(([Name, Value]) => ({ Name, Value })),
      },
    };
    const byKey = { CustomKeys: [{ Header: { Name: 'x-api-key' } }] };
    const byIp = { AggregateKeyType: 'IP' };
    const limits = rules.filter(({ OverrideAction }) => OverrideAction === undefined);

    expect(limits).toMatchObject([
      { Statement: { RateBasedStatement: byKey }, Action: { Block: block } },
      {
        Statement: { RateBasedStatement: { ...byIp, ScopeDownStatement: expect.anything() } },
        Action: { Block: block },
      },
      {
        Statement: { RateBasedStatement: { ...byIp, ScopeDownStatement: { NotStatement: expect.anything() } } },
        Action: { Block: block },
      },
    ]);
    // The viewers of the delivery network share its addresses, and its own firewall limits them.
    for (const { Statement } of limits.slice(1)) expect(textOf(Statement)).toContain('x-rewards-edge-secret');
    expect(limits.map(({ Priority }) => Priority)).toEqual([0, 1, 2]);
    expect(JSON.parse(refusal?.Content ?? '')).toMatchObject({
      error: 'rate_limit_exceeded',
      message: expect.any(String),
    });
  });
});
