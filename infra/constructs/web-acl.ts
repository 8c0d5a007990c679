import { ArnFormat, RemovalPolicy, Stack } from 'aws-cdk-lib';
import type { IStage } from 'aws-cdk-lib/aws-apigateway';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { CfnLoggingConfiguration, CfnWebACL, CfnWebACLAssociation } from 'aws-cdk-lib/aws-wafv2';
import { Construct } from 'constructs';
import { crossOriginHeaders } from '../../shared/contracts/contract.ts';
import { edgeHeaders } from '../../shared/contracts/edge.ts';
import { timingMs, toSeconds } from '../../shared/contracts/limits.ts';
import type { StageSettings } from '../stages.ts';
import { edgeSecretValue } from './edge-secret.ts';

const windowSeconds = toSeconds(timingMs.rateWindow);
const refusal = 'rate_limit_exceeded';

type Aggregation = Pick<CfnWebACL.RateBasedStatementProperty, 'aggregateKeyType' | 'customKeys'>;

const byApiKey: Aggregation = {
  aggregateKeyType: 'CUSTOM_KEYS',
  customKeys: [{ header: { name: 'x-api-key', textTransformations: [{ priority: 0, type: 'NONE' }] } }],
};
const byIp: Aggregation = { aggregateKeyType: 'IP' };

const pathContains = (searchString: string): CfnWebACL.StatementProperty => ({
  byteMatchStatement: {
    searchString,
    fieldToMatch: { uriPath: {} },
    positionalConstraint: 'CONTAINS',
    textTransformations: [{ priority: 0, type: 'LOWERCASE' }],
  },
});

/**
 * Matches the requests by which an attacker could guess passwords, codes or secrets. A path may begin with the name of
 * the stage.
 */
const triesSecrets: CfnWebACL.StatementProperty = {
  orStatement: { statements: ['/oauth/token', '/connect/'].map(pathContains) },
};

/**
 * Matches the requests that did not come through the delivery network. All viewers behind one of its edges share an
 * address, and the delivery network has limits of its own.
 */
const isDirect = (stage: StageSettings): CfnWebACL.StatementProperty => ({
  notStatement: {
    statement: {
      byteMatchStatement: {
        searchString: edgeSecretValue(stage),
        fieldToMatch: { singleHeader: { Name: edgeHeaders.secret } },
        positionalConstraint: 'EXACTLY',
        textTransformations: [{ priority: 0, type: 'NONE' }],
      },
    },
  },
});

const both = (...statements: CfnWebACL.StatementProperty[]): CfnWebACL.StatementProperty => ({
  andStatement: { statements },
});

/**
 * Groups of rules that AWS maintains. They only count requests, because a rule for web pages may match a request of an
 * honest partner. An operator who wants a rule to refuse requests looks at its counts first.
 */
const observedGroups = [
  'AWSManagedRulesAmazonIpReputationList',
  'AWSManagedRulesKnownBadInputsRuleSet',
  'AWSManagedRulesCommonRuleSet',
];

/** Headers with keys and tokens, which must not be in logs and samples. */
const secretHeaders = ['x-api-key', 'authorization', 'cookie', edgeHeaders.secret];

interface RateAclProps {
  readonly stage: StageSettings;
  readonly scope: 'REGIONAL' | 'CLOUDFRONT';
  /** Part of the names of metrics and of the log. */
  readonly name: string;
  readonly rules: CfnWebACL.RuleProperty[];
}

/** Refuses callers with too many requests before a Lambda runs, and logs whom it refused. */
class RateAcl extends Construct {
  readonly #acl: CfnWebACL;

  constructor(parent: Construct, id: string, { stage, scope, name, rules }: RateAclProps) {
    super(parent, id);
    this.#acl = new CfnWebACL(this, 'Acl', {
      scope,
      defaultAction: { allow: {} },
      customResponseBodies: { [refusal]: { contentType: 'APPLICATION_JSON', content: refusalBody() } },
      rules,
      // No samples of allowed requests: the path of a connect page contains its token.
      visibilityConfig: { ...visibility(name), sampledRequestsEnabled: false },
      dataProtectionConfig: {
        dataProtections: [
          { field: { fieldType: 'SINGLE_HEADER', fieldKeys: secretHeaders }, action: 'HASH' },
          ...['QUERY_STRING', 'BODY'].map((fieldType) => ({ field: { fieldType }, action: 'SUBSTITUTION' })),
        ],
      },
    });
    this.#log(stage, name);
  }

  /**
   * Logs only the requests that a rule refused or counted. Logging all requests would cost more than the requests
   * themselves.
   */
  #log(stage: StageSettings, name: string): void {
    const log = new LogGroup(this, 'Log', {
      // WAF writes only to log groups whose names begin like this.
      logGroupName: `aws-waf-logs-${name}`,
      retention: stage.logRetentionDays,
      // Deleted with the stack: if it stayed, a new stage of the same name could not create its log group.
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const matched = ['BLOCK', 'COUNT', 'EXCLUDED_AS_COUNT'].map((action) => ({ ActionCondition: { Action: action } }));
    new CfnLoggingConfiguration(this, 'Logging', {
      resourceArn: this.#acl.attrArn,
      logDestinationConfigs: [logGroupArn(log)],
      // The path of a connect page contains its token. The access log of the host has the route of every request.
      redactedFields: [{ uriPath: {} }],
      loggingFilter: {
        DefaultBehavior: 'DROP',
        Filters: [{ Behavior: 'KEEP', Requirement: 'MEETS_ANY', Conditions: matched }],
      },
    });
  }

  get arn(): string {
    return this.#acl.attrArn;
  }
}

/**
 * Limits the callers of the hosts. API Gateway's own API keys could do the same, but an account has at most 10,000 of
 * them, and user tokens are in the same header.
 *
 * Callers may share an address. The limit of a key is checked before the limit of an address, so the metrics name the
 * key that is too fast.
 */
export class PlatformWebAcl extends RateAcl {
  constructor(parent: Construct, id: string, stage: StageSettings) {
    const { perApiKey, perIp, secretsPerIp } = stage.webRateLimit;
    const direct = isDirect(stage);
    const limits = [
      rateRule('requests-per-api-key', 0, { ...byApiKey, limit: perApiKey }),
      rateRule('secrets-per-ip', 1, { ...byIp, limit: secretsPerIp, scopeDownStatement: both(triesSecrets, direct) }),
      rateRule('requests-per-ip', 2, { ...byIp, limit: perIp, scopeDownStatement: direct }),
    ];
    const observing = observedGroups.map((name, position) => observingRule(name, limits.length + position));
    super(parent, id, { stage, scope: 'REGIONAL', name: `rewards-${stage.name}`, rules: [...limits, ...observing] });
  }

  /** Applies the limits to the API of one host. The limits count the requests to all protected APIs together. */
  protect(scope: Construct, id: string, stage: IStage & { readonly stageArn: string }): void {
    new CfnWebACLAssociation(scope, id, { resourceArn: stage.stageArn, webAclArn: this.arn });
  }
}

/** Limits the viewers of the delivery network, whom a host behind it cannot tell apart. It costs less with few rules. */
export class SitesWebAcl extends RateAcl {
  constructor(parent: Construct, id: string, stage: StageSettings) {
    const { perIp, secretsPerIp } = stage.webRateLimit;
    const signsIn = pathContains('/api/session/');
    const rules = [
      rateRule('sign-ins-per-ip', 0, { ...byIp, limit: secretsPerIp, scopeDownStatement: signsIn }, ownOrigin),
      rateRule('requests-per-ip', 1, { ...byIp, limit: perIp }, ownOrigin),
    ];
    super(parent, id, { stage, scope: 'CLOUDFRONT', name: `rewards-${stage.name}-sites`, rules });
  }
}

function rateRule(
  name: string,
  priority: number,
  limit: Aggregation & { readonly limit: number; readonly scopeDownStatement?: CfnWebACL.StatementProperty },
  responseHeaders = anyOrigin,
): CfnWebACL.RuleProperty {
  return {
    name,
    priority,
    statement: { rateBasedStatement: { ...limit, evaluationWindowSec: windowSeconds } },
    action: { block: { customResponse: { responseCode: 429, customResponseBodyKey: refusal, responseHeaders } } },
    visibilityConfig: visibility(name),
  };
}

function observingRule(name: string, priority: number): CfnWebACL.RuleProperty {
  return {
    name,
    priority,
    statement: { managedRuleGroupStatement: { vendorName: 'AWS', name } },
    overrideAction: { count: {} },
    visibilityConfig: visibility(name),
  };
}

/** WAF refuses the ARN that CloudFormation gives a log group, because it ends in `:*`. */
function logGroupArn(log: LogGroup): string {
  return Stack.of(log).formatArn({
    service: 'logs',
    resource: 'log-group',
    resourceName: log.logGroupName,
    arnFormat: ArnFormat.COLON_RESOURCE_NAME,
  });
}

const toHeaders = (headers: Readonly<Record<string, string>>) =>
  Object.entries(headers).map(([name, value]) => ({ name, value }));

const ownOrigin = toHeaders({ 'Retry-After': String(windowSeconds) });
/** With these headers, browsers let pages of other origins read the refusal. */
const anyOrigin = toHeaders({ 'Retry-After': String(windowSeconds), ...crossOriginHeaders });

/** The body of a refusal. WAF has no request id; API Gateway adds its own header to the reply. */
function refusalBody(): string {
  return JSON.stringify({ error: refusal, message: 'Too many requests. Try again later.', request_id: null });
}

function visibility(metricName: string): CfnWebACL.VisibilityConfigProperty {
  return { metricName, cloudWatchMetricsEnabled: true, sampledRequestsEnabled: true };
}
