import type { IStage } from 'aws-cdk-lib/aws-apigateway';
import { CfnWebACL, CfnWebACLAssociation } from 'aws-cdk-lib/aws-wafv2';
import { Construct } from 'constructs';
import { timingMs, toSeconds } from '../../shared/contracts/limits.ts';
import type { StageSettings } from '../stages.ts';

const windowSeconds = toSeconds(timingMs.rateWindow);
const refusal = 'rate_limit_exceeded';

type Aggregation = Pick<CfnWebACL.RateBasedStatementProperty, 'aggregateKeyType' | 'customKeys'>;

const byApiKey: Aggregation = {
  aggregateKeyType: 'CUSTOM_KEYS',
  customKeys: [{ header: { name: 'x-api-key', textTransformations: [{ priority: 0, type: 'NONE' }] } }],
};
const byIp: Aggregation = { aggregateKeyType: 'IP' };

/**
 * Refuses callers with too many requests before a Lambda runs. API Gateway's own API keys could do the same,
 * but an account has at most 10,000 of them, and user tokens are in the same header.
 */
export class PlatformWebAcl extends Construct {
  readonly #acl: CfnWebACL;

  constructor(scope: Construct, id: string, { name, webRateLimit }: StageSettings) {
    super(scope, id);
    this.#acl = new CfnWebACL(this, 'Acl', {
      scope: 'REGIONAL',
      defaultAction: { allow: {} },
      customResponseBodies: { [refusal]: { contentType: 'APPLICATION_JSON', content: refusalBody() } },
      rules: [
        rateRule('requests-per-api-key', 0, { ...byApiKey, limit: webRateLimit.perApiKey }),
        rateRule('requests-per-ip', 1, { ...byIp, limit: webRateLimit.perIp }),
      ],
      visibilityConfig: visibility(`rewards-${name}`),
    });
  }

  get arn(): string {
    return this.#acl.attrArn;
  }

  /** Applies the limits to a stage of an API. The limits count the requests to all protected stages together. */
  protect(scope: Construct, id: string, stage: IStage & { readonly stageArn: string }): void {
    new CfnWebACLAssociation(scope, id, { resourceArn: stage.stageArn, webAclArn: this.arn });
  }
}

function rateRule(
  name: string,
  priority: number,
  limit: Aggregation & { readonly limit: number },
): CfnWebACL.RuleProperty {
  return {
    name,
    priority,
    statement: { rateBasedStatement: { ...limit, evaluationWindowSec: windowSeconds } },
    action: { block: { customResponse: { responseCode: 429, customResponseBodyKey: refusal, responseHeaders } } },
    visibilityConfig: visibility(name),
  };
}

const responseHeaders = [{ name: 'Retry-After', value: String(windowSeconds) }];

/** WAF has no request id; API Gateway adds its own header to the reply. */
function refusalBody(): string {
  return JSON.stringify({ error: refusal, message: 'Too many requests. Try again later.', request_id: null });
}

function visibility(metricName: string): CfnWebACL.VisibilityConfigProperty {
  return { metricName, cloudWatchMetricsEnabled: true, sampledRequestsEnabled: false };
}
