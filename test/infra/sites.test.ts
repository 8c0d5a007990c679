import { readFileSync } from 'node:fs';
import { App, Validations } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { AwsSolutionsChecks } from 'cdk-nag';
import { describe, expect, it } from 'vitest';
import cdk from '../../cdk.json' with { type: 'json' };
import { reactAriaStyleHashes, reactAriaStyles } from '../../infra/constructs/react-aria-styles.ts';
import { SitesStack } from '../../infra/stacks/sites-stack.ts';
import { type StageSettings, stageSettings } from '../../infra/stages.ts';
import './support/synthesized.ts';

const sandbox = stageSettings('sandbox');
const name = 'sandbox.example.com';
const hostedZoneId = 'Z0123456789';
const certificateArn = 'arn:aws:acm:us-east-1:123456789012:certificate/own';

const newApp = () => new App({ context: { ...cdk.context, 'aws:cdk:disable-stack-trace': true } });

function sites(stage: StageSettings): SitesStack {
  const app = newApp();
  return new SitesStack(app, 'sites', { stage, dashboard: 'test/fixtures/site' });
}

const templateOf = (stage: StageSettings) => Template.fromStack(sites(stage));

interface Behaviour {
  readonly TargetOriginId: string;
  readonly ResponseHeadersPolicyId: { readonly Ref: string };
  readonly [property: string]: unknown;
}

function distributionIn(template: Template) {
  const [distribution] = Object.values(template.findResources('AWS::CloudFront::Distribution'));
  return distribution?.Properties.DistributionConfig;
}

const template = templateOf(sandbox);
const config = distributionIn(template);
const api: Behaviour = config.CacheBehaviors[0];
const application: Behaviour = config.DefaultCacheBehavior;
const policyOf = ({ ResponseHeadersPolicyId: { Ref: id } }: Behaviour) =>
  template.findResources('AWS::CloudFront::ResponseHeadersPolicy')[id]?.Properties.ResponseHeadersPolicyConfig;

describe("the dashboard's distribution", () => {
  it('leads /api/* to the management API without caching, and everything else to the bucket', () => {
    const originOf = ({ TargetOriginId }: Behaviour) =>
      config.Origins.find(({ Id }: { Id: string }) => Id === TargetOriginId);

    expect(api).toMatchObject({
      PathPattern: '/api/*',
      AllowedMethods: expect.arrayContaining(['GET', 'POST', 'PUT', 'DELETE']),
      CachePolicyId: '4135ea2d-6df8-44a3-9df3-4b5a84be39ad',
      OriginRequestPolicyId: 'b689b0a8-53d0-40ab-baf2-68738e2966ac',
      ViewerProtocolPolicy: 'https-only',
    });
    expect(originOf(api)).toMatchObject({
      OriginPath: '/sandbox',
      CustomOriginConfig: { OriginProtocolPolicy: 'https-only', OriginSSLProtocols: ['TLSv1.2'] },
      OriginCustomHeaders: [
        {
          HeaderName: 'x-rewards-edge-secret',
          HeaderValue: '{{resolve:secretsmanager:rewards-sandbox/edge:SecretString:::}}',
        },
      ],
    });
    expect(originOf(application)).toMatchObject({ S3OriginConfig: {}, OriginAccessControlId: expect.anything() });
  });

  it('sends the version of the secret that a rotation has entered', () => {
    const rotated = distributionIn(templateOf({ ...sandbox, edgeSecretVersion: 'a-version' }));

    expect(JSON.stringify(rotated.Origins)).toContain(
      '{{resolve:secretsmanager:rewards-sandbox/edge:SecretString:::a-version}}',
    );
  });

  it('has no error responses, because they would replace the 404 of the API', () => {
    expect(config).not.toHaveProperty('CustomErrorResponses');
  });

  it('sends the security headers with the application', () => {
    const policy = policyOf(application);
    const csp: string = policy.SecurityHeadersConfig.ContentSecurityPolicy.ContentSecurityPolicy;

    expect(Object.fromEntries(csp.split('; ').map((part) => part.split(/ (.*)/, 2)))).toEqual({
      'default-src': "'none'",
      'script-src': "'self'",
      'style-src': `'self' ${reactAriaStyleHashes.join(' ')}`,
      'img-src': "'self' data:",
      'font-src': "'self'",
      'connect-src': "'self'",
      'frame-src': "'self'",
      'form-action': "'self'",
      'frame-ancestors': "'none'",
      'base-uri': "'none'",
    });
    expect(policy).toMatchObject({
      SecurityHeadersConfig: {
        ContentTypeOptions: { Override: true },
        ReferrerPolicy: { ReferrerPolicy: 'no-referrer', Override: true },
        StrictTransportSecurity: { AccessControlMaxAgeSec: 63_072_000, Override: true },
      },
      CustomHeadersConfig: {
        Items: [{ Header: 'Cross-Origin-Opener-Policy', Value: 'same-origin', Override: true }],
      },
    });
  });

  it("keeps the API's own content security policy, and has one for replies without", () => {
    expect(policyOf(api).SecurityHeadersConfig.ContentSecurityPolicy).toMatchObject({
      ContentSecurityPolicy: expect.stringContaining("default-src 'none'"),
      Override: false,
    });
  });

  it('logs the address of viewers, but no query string and no cookie', () => {
    const [delivery] = Object.values(template.findResources('AWS::Logs::Delivery'));
    const fields: string[] = delivery?.Properties.RecordFields;

    expect(fields).toContain('c-ip');
    expect(fields.filter((field) => /query|cookie|referer/i.test(field))).toEqual([]);
  });

  it('is behind a firewall that limits viewers, and their attempts to sign in more tightly', () => {
    template.hasResourceProperties('AWS::WAFv2::WebACL', {
      Scope: 'CLOUDFRONT',
      Rules: [
        {
          Name: 'sign-ins-per-ip',
          Statement: { RateBasedStatement: { Limit: sandbox.webRateLimit.secretsPerIp, AggregateKeyType: 'IP' } },
        },
        {
          Name: 'requests-per-ip',
          Statement: { RateBasedStatement: { Limit: sandbox.webRateLimit.perIp, AggregateKeyType: 'IP' } },
        },
      ],
    });
    expect(config.WebACLId).toBeDefined();
  });

  it('is paid by use, or by a free plan of CloudFront for the distribution and its firewall', () => {
    template.resourceCountIs('AWS::PricingPlanManager::Subscription', 0);
    const planned = templateOf({ ...sandbox, edgePlan: 'free' });

    planned.hasResourceProperties('AWS::PricingPlanManager::Subscription', {
      ...{ PlanFamily: 'CloudFront', PlanTier: 'FREE' },
      ResourceArns: [Match.objectLike({ 'Fn::Join': Match.anyValue() }), { 'Fn::GetAtt': [Match.anyValue(), 'Arn'] }],
    });
    // A distribution with another cache policy is not accepted by the plan.
    planned.resourceCountIs('AWS::CloudFront::CachePolicy', 0);
  });

  it('is in us-east-1, whatever the region of the stage', () => {
    expect(sites({ ...sandbox, domain: { name, hostedZoneId } }).region).toBe('us-east-1');
  });

  it('reads the address of the API of another region', () => {
    const elsewhere = sites({ ...sandbox, region: 'eu-west-1' });
    const own = Template.fromStack(elsewhere);

    expect(elsewhere.region).toBe('us-east-1');
    own.hasResourceProperties('Custom::AWS', {
      Update: Match.stringLikeRegexp('"region":"eu-west-1".*/rewards/sandbox/management/domain'),
    });
    expect(JSON.stringify(own.toJSON().Parameters ?? {})).not.toContain('management/domain');
  });

  it('reads the address of the API again when the domain of the stage changes', () => {
    const elsewhere = { ...sandbox, region: 'eu-west-1' };
    const readOf = (stage: StageSettings) => Object.values(templateOf(stage).findResources('Custom::AWS'));

    expect(readOf({ ...elsewhere, domain: { name, hostedZoneId } })).not.toEqual(readOf(elsewhere));
  });

  it('stores its URL for the stacks and functions that need it', () => {
    template.hasResourceProperties('AWS::SSM::Parameter', {
      Name: '/rewards/sandbox/dashboard/url',
      Value: { 'Fn::Join': ['', ['https://', { 'Fn::GetAtt': [Match.anyValue(), 'DomainName'] }]] },
    });
  });
});

describe('the bucket of the application', () => {
  it('is private, and only the distribution reads it', () => {
    template.hasResourceProperties('AWS::S3::Bucket', {
      PublicAccessBlockConfiguration: { BlockPublicAcls: true, RestrictPublicBuckets: true },
      LifecycleConfiguration: { Rules: [{ NoncurrentVersionExpiration: { NoncurrentDays: 30 } }] },
    });
    template.hasResourceProperties('AWS::S3::BucketPolicy', {
      PolicyDocument: {
        Statement: Match.arrayWith([
          Match.objectLike({
            Action: ['s3:GetObject', 's3:ListBucket'],
            Principal: { Service: 'cloudfront.amazonaws.com' },
            Condition: { StringEquals: { 'AWS:SourceArn': Match.anyValue() } },
          }),
        ]),
      },
    });
  });

  it('gets the files first, for ever, then the page, and keeps files of earlier builds', () => {
    const copies = Object.entries(template.findResources('Custom::CDKBucketDeployment'));
    const [files, page] = ['immutable', 'no-cache'].map((part) =>
      copies.find(([, { Properties }]) => Properties.SystemMetadata['cache-control'].includes(part)),
    );

    expect(copies).toHaveLength(2);
    for (const [, { Properties }] of copies) expect(Properties.Prune).toBe(false);
    expect(files?.[1].Properties.SystemMetadata).toEqual({ 'cache-control': 'public, max-age=31536000, immutable' });
    expect(page?.[1].DependsOn).toContain(files?.[0]);
  });
});

describe('a dashboard with a domain', () => {
  it('has a certificate and records in the hosted zone', () => {
    const own = templateOf({ ...sandbox, domain: { name, hostedZoneId } });

    expect(distributionIn(own)).toMatchObject({
      Aliases: [`dashboard.${name}`],
      ViewerCertificate: { MinimumProtocolVersion: 'TLSv1.2_2021', SslSupportMethod: 'sni-only' },
    });
    own.hasResourceProperties('AWS::CertificateManager::Certificate', { DomainName: `dashboard.${name}` });
    own.resourceCountIs('AWS::Route53::RecordSet', 2);
    own.hasResourceProperties('AWS::SSM::Parameter', { Value: `https://dashboard.${name}` });
    own.hasOutput('DashboardUrl', { Value: `https://dashboard.${name}/` });
  });

  it('uses the certificate of the stage if it is one of us-east-1', () => {
    const own = templateOf({ ...sandbox, domain: { name, certificateArn } });

    own.resourceCountIs('AWS::CertificateManager::Certificate', 0);
    expect(distributionIn(own).ViewerCertificate.AcmCertificateArn).toBe(certificateArn);
    own.hasOutput('DomainTarget', { Value: { 'Fn::GetAtt': [Match.anyValue(), 'DomainName'] } });
  });

  it('needs another certificate if that of the stage is of another region', () => {
    const elsewhere = certificateArn.replace('us-east-1', 'eu-west-1');

    expect(() => sites({ ...sandbox, domain: { name, certificateArn: elsewhere } })).toThrow(/sitesCertificateArn/);
    const both = { name, certificateArn: elsewhere, sitesCertificateArn: certificateArn };
    expect(distributionIn(templateOf({ ...sandbox, domain: both })).ViewerCertificate.AcmCertificateArn).toBe(
      certificateArn,
    );
  });

  it.each<Partial<StageSettings>>([
    {},
    { domain: { name, hostedZoneId } },
    { domain: { name, certificateArn } },
    { region: 'eu-west-1' },
  ])('violates no AWS Solutions rule (%j)', (settings) => {
    const app = newApp();
    new SitesStack(app, 'sites', { stage: { ...sandbox, ...settings }, dashboard: 'test/fixtures/site' });
    Validations.of(app).addPlugins(new AwsSolutionsChecks(app));

    expect(() => app.synth()).not.toThrow();
  });
});

describe("React Aria's styles", () => {
  it('are those of the installed version', () => {
    const sources = ['interactions/usePress', 'overlays/usePreventScroll'].map((file) =>
      readFileSync(`node_modules/react-aria/dist/private/${file}.mjs`, 'utf8'),
    );
    const [attribute = ''] = /data-react-aria-pressable/.exec(sources.join('')) ?? [];
    const written = sources.flatMap((source) =>
      [...source.matchAll(/style\.textContent = `([^`]*)`\.trim\(\)/g)].map(([, text = '']) =>
        text.replace(/\$\{[^}]*\}/, attribute).trim(),
      ),
    );

    expect(written).toEqual(reactAriaStyles);
  });
});
