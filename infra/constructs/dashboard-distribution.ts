import { readFileSync } from 'node:fs';
import { Validations } from 'aws-cdk-lib';
import type { ICertificate } from 'aws-cdk-lib/aws-certificatemanager';
import {
  AccessLevel,
  AllowedMethods,
  type BehaviorOptions,
  CachePolicy,
  Distribution,
  Function as EdgeFunction,
  FunctionCode,
  FunctionEventType,
  HttpVersion,
  OriginProtocolPolicy,
  OriginRequestPolicy,
  OriginSslPolicy,
  PriceClass,
  SecurityPolicyProtocol,
  ViewerProtocolPolicy,
} from 'aws-cdk-lib/aws-cloudfront';
import { HttpOrigin, S3BucketOrigin } from 'aws-cdk-lib/aws-cloudfront-origins';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { edgeHeaders } from '../../shared/contracts/edge.ts';
import type { StageSettings } from '../stages.ts';
import { edgeSecretValue } from './edge-secret.ts';
import { ApiHeaders, ApplicationHeaders } from './site-headers.ts';
import { SiteLog } from './site-log.ts';

export interface DashboardDistributionProps {
  readonly stage: StageSettings;
  /** The bucket of the built application. */
  readonly bucket: IBucket;
  /** The domain name of the API of `management`. */
  readonly apiDomain: string;
  readonly webAclArn: string;
  /** The dashboard's own name and its certificate. Without it, the name is one of CloudFront's. */
  readonly alias?: { readonly name: string; readonly certificate: ICertificate } | undefined;
}

/**
 * The delivery network in front of the dashboard: the application from its bucket, and below `/api` the host
 * `management`. Both have one origin, so the session's cookie needs no other site, and no page of another origin may
 * call the API.
 */
export class DashboardDistribution extends Construct {
  readonly distribution: Distribution;
  /** The URL for people, without a slash at the end. */
  readonly url: string;

  constructor(scope: Construct, id: string, props: DashboardDistributionProps) {
    super(scope, id);
    const { stage, webAclArn, alias } = props;
    this.distribution = new Distribution(this, 'Distribution', {
      comment: `rewards-${stage.name}-dashboard`,
      defaultRootObject: 'index.html',
      defaultBehavior: this.#application(props),
      additionalBehaviors: { '/api/*': this.#api(props) },
      httpVersion: HttpVersion.HTTP2_AND_3,
      priceClass: PriceClass.PRICE_CLASS_ALL,
      webAclId: webAclArn,
      ...(alias && {
        domainNames: [alias.name],
        certificate: alias.certificate,
        minimumProtocolVersion: SecurityPolicyProtocol.TLS_V1_2_2021,
      }),
    });
    this.url = `https://${alias?.name ?? this.distribution.distributionDomainName}`;
    new SiteLog(this, 'Log', { stage, distribution: this.distribution });
    this.#acknowledge(alias !== undefined);
  }

  #application({ bucket, stage }: DashboardDistributionProps): BehaviorOptions {
    return {
      // With the right to list, a missing file is a 404. No request leads to a list: `/` is index.html.
      origin: S3BucketOrigin.withOriginAccessControl(bucket, {
        originAccessLevels: [AccessLevel.READ, AccessLevel.LIST],
      }),
      cachePolicy: CachePolicy.CACHING_OPTIMIZED,
      responseHeadersPolicy: new ApplicationHeaders(this, 'ApplicationHeaders', stage),
      viewerProtocolPolicy: ViewerProtocolPolicy.REDIRECT_TO_HTTPS,
      functionAssociations: [this.#onRequest('application-routes', stage)],
    };
  }

  #api({ apiDomain, stage }: DashboardDistributionProps): BehaviorOptions {
    return {
      origin: new HttpOrigin(apiDomain, {
        originPath: `/${stage.name}`,
        protocolPolicy: OriginProtocolPolicy.HTTPS_ONLY,
        originSslProtocols: [OriginSslPolicy.TLS_V1_2],
        customHeaders: { [edgeHeaders.secret]: edgeSecretValue(stage) },
      }),
      allowedMethods: AllowedMethods.ALLOW_ALL,
      cachePolicy: CachePolicy.CACHING_DISABLED,
      // API Gateway finds the API by `Host`, so it has to be the API's own.
      originRequestPolicy: OriginRequestPolicy.ALL_VIEWER_EXCEPT_HOST_HEADER,
      responseHeadersPolicy: new ApiHeaders(this, 'ApiHeaders', stage),
      viewerProtocolPolicy: ViewerProtocolPolicy.HTTPS_ONLY,
      functionAssociations: [this.#onRequest('viewer-address', stage)],
    };
  }

  /** A function that changes each request. Error responses of a distribution would do it for the API's 404 too. */
  #onRequest(name: string, stage: StageSettings) {
    const file = new URL(`../edge/${name}.js`, import.meta.url);
    const changing = new EdgeFunction(this, name, {
      functionName: `rewards-${stage.name}-${name}`,
      code: FunctionCode.fromInline(readFileSync(file, 'utf8')),
    });
    return { function: changing, eventType: FunctionEventType.VIEWER_REQUEST };
  }

  #acknowledge(hasDomain: boolean): void {
    Validations.of(this.distribution).acknowledge(
      { id: 'AwsSolutions-CFR1', reason: 'Merchants and partners are in any country.' },
      {
        id: 'Annotation::@aws-cdk/aws-cloudfront-origins:listBucketSecurityRisk',
        reason: 'The distribution has a default root object, and its function leads `/` to the page.',
      },
      { id: 'AwsSolutions-CFR3', reason: 'The log goes to CloudWatch, by the newer way that the rule does not know.' },
    );
    if (hasDomain) return;
    Validations.of(this.distribution).acknowledge({
      id: 'AwsSolutions-CFR4',
      reason: 'CloudFront decides the protocols of its own names. A stage with a domain requires TLS 1.2.',
    });
  }
}
