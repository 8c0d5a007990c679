import { resolveSecrets, type SecretTexts } from '../secrets/template-secrets.ts';
import type { LocalUrls } from '../template/local-urls.ts';
import type { Resource, Resources } from '../template/resources.ts';
import { type HeadersPolicy, requireSupported } from './headers-policy.ts';
import { compileViewerFunction, type ViewerFunction } from './viewer-function.ts';

/** Where a behaviour gets its replies from. */
type Origin =
  | { readonly kind: 'bucket'; readonly url: string }
  | { readonly kind: 'custom'; readonly url: string; readonly headers: Readonly<Record<string, string>> };

/** What happens to the requests whose path matches the pattern. */
export interface Behaviour {
  readonly pattern: string;
  readonly methods: readonly string[];
  readonly origin: Origin;
  readonly isCompressed: boolean;
  readonly forwardsAll: boolean;
  readonly viewerFunction: ViewerFunction | undefined;
  readonly headersPolicy: HeadersPolicy | undefined;
}

/** A distribution of the template. */
export interface Distribution {
  readonly logicalId: string;
  /** The URLs that people use on AWS. */
  readonly awsUrls: readonly string[];
  readonly rootObject: string | undefined;
  /** In the order in which CloudFront tries them. The last one matches every path. */
  readonly behaviours: readonly Behaviour[];
}

interface BehaviourProperties {
  readonly PathPattern?: string;
  readonly TargetOriginId: string;
  readonly AllowedMethods?: readonly string[];
  readonly CachePolicyId: string;
  readonly OriginRequestPolicyId?: string;
  readonly ResponseHeadersPolicyId?: string;
  readonly Compress?: boolean;
  readonly FunctionAssociations?: readonly { readonly EventType: string; readonly FunctionARN: string }[];
  readonly LambdaFunctionAssociations?: readonly object[];
}

interface OriginProperties {
  readonly Id: string;
  readonly DomainName: string;
  readonly OriginPath?: string;
  readonly S3OriginConfig?: object;
  readonly OriginCustomHeaders?: readonly { readonly HeaderName: string; readonly HeaderValue: string }[];
}

interface DistributionProperties {
  readonly DistributionConfig: {
    readonly Aliases?: readonly string[];
    readonly DefaultRootObject?: string;
    readonly Origins: readonly OriginProperties[];
    readonly DefaultCacheBehavior: BehaviourProperties;
    readonly CacheBehaviors?: readonly BehaviourProperties[];
    readonly CustomErrorResponses?: readonly object[];
  };
}

/** The cache policies of AWS that templates may name. Nothing is cached here in either case. */
const cachePolicies = {
  optimized: '658327ea-f89d-4fab-a63d-7e88639e58f6',
  off: '4135ea2d-6df8-44a3-9df3-4b5a84be39ad',
};

/** AWS's policy that forwards everything of a request except `Host`. */
const allExceptHost = 'b689b0a8-53d0-40ab-baf2-68738e2966ac';

export interface DistributionContext {
  readonly resources: Resources;
  readonly secrets: SecretTexts;
  readonly localUrls: LocalUrls;
  /** Endpoint of S3. */
  readonly s3: string;
}

/**
 * Reads a distribution with its functions and policies.
 * @throws Error when it has something that would silently be missing here
 */
export function readDistribution(resource: Resource, context: DistributionContext): Distribution {
  const { DistributionConfig: config } = resource.properties<DistributionProperties>();
  if (config.CustomErrorResponses?.length) throw notHere(resource, 'error responses');
  const origins = new Map(config.Origins.map((origin) => [origin.Id, readOrigin(origin, context)]));
  const read = (behaviour: BehaviourProperties): Behaviour =>
    readBehaviour(behaviour, { resource, origins, ...context });
  return {
    logicalId: resource.logicalId,
    awsUrls: [...(config.Aliases ?? []), resource.attribute('DomainName')].map((name) => `https://${name}`),
    rootObject: config.DefaultRootObject,
    behaviours: [...(config.CacheBehaviors ?? []), config.DefaultCacheBehavior].map(read),
  };
}

function readOrigin(properties: OriginProperties, { resources, secrets, localUrls, s3 }: DistributionContext): Origin {
  const { DomainName, OriginPath = '', S3OriginConfig, OriginCustomHeaders = [] } = properties;
  if (S3OriginConfig) {
    const bucket = resources
      .ofType('AWS::S3::Bucket')
      .find((one) => one.attribute('RegionalDomainName') === DomainName);
    if (!bucket) throw new Error(`no stack makes the bucket of the origin ${DomainName}`);
    return { kind: 'bucket', url: `${s3}/${bucket.ref}${OriginPath}` };
  }
  const headers = OriginCustomHeaders.map(({ HeaderName, HeaderValue }) => [
    HeaderName.toLowerCase(),
    resolveSecrets(HeaderValue, secrets),
  ]);
  const url = localUrls.localize(`https://${DomainName}${OriginPath}`);
  return { kind: 'custom', url, headers: Object.fromEntries(headers) };
}

function readBehaviour(
  properties: BehaviourProperties,
  context: DistributionContext & { readonly resource: Resource; readonly origins: ReadonlyMap<string, Origin> },
): Behaviour {
  const { PathPattern = '*', AllowedMethods = ['GET', 'HEAD'], Compress = false, TargetOriginId } = properties;
  const { resource, origins } = context;
  const origin = origins.get(TargetOriginId);
  if (!origin) throw new Error(`${resource.logicalId}: there is no origin ${TargetOriginId}`);
  if (!Object.values(cachePolicies).includes(properties.CachePolicyId)) throw notHere(resource, 'its cache policy');
  const { OriginRequestPolicyId: forwarding } = properties;
  if (forwarding !== undefined && forwarding !== allExceptHost) throw notHere(resource, 'its origin request policy');
  if (properties.LambdaFunctionAssociations?.length) throw notHere(resource, 'Lambda@Edge');
  return {
    pattern: PathPattern,
    methods: AllowedMethods,
    origin,
    isCompressed: Compress && properties.CachePolicyId === cachePolicies.optimized,
    forwardsAll: forwarding === allExceptHost,
    viewerFunction: readFunction(properties, context),
    headersPolicy: readPolicy(properties, context),
  };
}

function readFunction(
  { FunctionAssociations = [] }: BehaviourProperties,
  { resource, resources }: DistributionContext & { readonly resource: Resource },
): ViewerFunction | undefined {
  const [association, ...others] = FunctionAssociations;
  if (!association) return undefined;
  if (others.length > 0 || association.EventType !== 'viewer-request') throw notHere(resource, 'functions on replies');
  const found = resources
    .ofType('AWS::CloudFront::Function')
    .find((one) => one.attribute('FunctionARN') === association.FunctionARN);
  if (!found) throw new Error(`${resource.logicalId}: no stack makes ${association.FunctionARN}`);
  return compileViewerFunction(found.properties<{ FunctionCode: string }>().FunctionCode, found.logicalId);
}

function readPolicy(
  { ResponseHeadersPolicyId: id }: BehaviourProperties,
  { resource, resources }: DistributionContext & { readonly resource: Resource },
): HeadersPolicy | undefined {
  if (id === undefined) return undefined;
  const found = resources.ofType('AWS::CloudFront::ResponseHeadersPolicy').find(({ ref }) => ref === id);
  if (!found) throw notHere(resource, `the response headers policy ${id}`);
  const { ResponseHeadersPolicyConfig: policy } = found.properties<{ ResponseHeadersPolicyConfig: HeadersPolicy }>();
  requireSupported(policy, found.logicalId);
  return policy;
}

const notHere = ({ logicalId }: Resource, part: string): Error =>
  new Error(`${logicalId}: the local platform does not emulate ${part} of a distribution`);
