import { CfnElement, CfnOutput, Stack, Validations } from 'aws-cdk-lib';
import { Certificate, CertificateValidation, type ICertificate } from 'aws-cdk-lib/aws-certificatemanager';
import { CfnSubscription } from 'aws-cdk-lib/aws-pricingplanmanager';
import { AaaaRecord, ARecord, HostedZone, type IHostedZone, RecordTarget } from 'aws-cdk-lib/aws-route53';
import { CloudFrontTarget } from 'aws-cdk-lib/aws-route53-targets';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import type { Construct } from 'constructs';
import { sitesRegion, stageParameters } from '../../shared/contracts/edge.ts';
import { ApplicationBucket } from '../constructs/application-bucket.ts';
import { DashboardDistribution } from '../constructs/dashboard-distribution.ts';
import { storedParameter, storeParameter } from '../constructs/stage-parameters.ts';
import { SitesWebAcl } from '../constructs/web-acl.ts';
import { type StageDomain, type StageSettings, siteNameOf } from '../stages.ts';

export interface SitesStackProps {
  readonly stage: StageSettings;
  /** The folder of the built dashboard. */
  readonly dashboard: string;
}

/** The sites of a stage, in the region where CloudFront expects certificates and web ACLs. */
export class SitesStack extends Stack {
  constructor(scope: Construct, id: string, { stage, dashboard: folder }: SitesStackProps) {
    super(scope, id, {
      env: { region: sitesRegion },
      description: `Rewards Platform (${stage.name}): the dashboard's site`,
      terminationProtection: stage.keepsData,
    });
    const { bucket } = new ApplicationBucket(this, 'Application', folder);
    const alias = stage.domain && this.#alias(stage.domain);
    const { arn: webAclArn } = new SitesWebAcl(this, 'WebAcl', stage);
    const dashboard = new DashboardDistribution(this, 'Dashboard', {
      ...{ stage, bucket, alias, webAclArn },
      apiDomain: storedParameter(this, stage, stageParameters.managementDomain),
    });
    if (stage.edgePlan === 'free') {
      // A plan covers one distribution and its firewall.
      const resourceArns = [dashboard.distribution.distributionArn, webAclArn];
      new CfnSubscription(this, 'Plan', { planFamily: 'CloudFront', planTier: 'FREE', resourceArns });
    }
    if (stage.domain && alias) this.#addRecords(alias.name, dashboard, alias.zone);
    storeParameter(this, stage, stageParameters.dashboardUrl, dashboard.url);
    new CfnOutput(this, 'DashboardUrl', { value: `${dashboard.url}/` });
    this.#acknowledge(bucket);
  }

  /** The dashboard's own name, its certificate in this region, and the zone of its records if the stage has one. */
  #alias(domain: StageDomain) {
    const name = siteNameOf(domain, 'dashboard');
    const zone =
      'hostedZoneId' in domain
        ? HostedZone.fromHostedZoneAttributes(this, 'Zone', {
            hostedZoneId: domain.hostedZoneId,
            zoneName: domain.name,
          })
        : undefined;
    return { name, zone, certificate: this.#certificate(name, domain, zone) };
  }

  #certificate(name: string, domain: StageDomain, zone: IHostedZone | undefined): ICertificate {
    const given = 'certificateArn' in domain ? (domain.sitesCertificateArn ?? domain.certificateArn) : undefined;
    if (given !== undefined && given.split(':')[3] === sitesRegion) {
      return Certificate.fromCertificateArn(this, 'Certificate', given);
    }
    if (zone === undefined) {
      throw new Error(`the sites need a certificate for *.${domain.name} in ${sitesRegion}: give sitesCertificateArn`);
    }
    return new Certificate(this, 'Certificate', {
      domainName: name,
      validation: CertificateValidation.fromDns(zone),
    });
  }

  #addRecords(name: string, { distribution }: DashboardDistribution, zone: IHostedZone | undefined): void {
    if (!zone) {
      const output = new CfnOutput(this, 'Target', {
        description: `Make a DNS record of type CNAME: ${name} leads to this name`,
        value: distribution.distributionDomainName,
      });
      output.overrideLogicalId('DomainTarget');
      return;
    }
    const target = RecordTarget.fromAlias(new CloudFrontTarget(distribution));
    new ARecord(this, 'A', { zone, recordName: name, target });
    new AaaaRecord(this, 'Aaaa', { zone, recordName: name, target });
  }

  /** CDK makes the functions that copy the build and that empty the bucket, with their roles. */
  #acknowledge(bucket: IBucket): void {
    const reason = "CDK's own function for the bucket of the application. It runs during deployments only.";
    const { defaultChild } = bucket.node;
    const logicalId = defaultChild instanceof CfnElement ? this.getLogicalId(defaultChild) : '';
    const wildcards = [
      ...['GetObject*', 'GetBucket*', 'List*', 'DeleteObject*', 'Abort*'].map((action) => `Action::s3:${action}`),
      `Resource::arn:aws:s3:::cdk-hnb659fds-assets-<AWS::AccountId>-${sitesRegion}/*`,
      `Resource::<${logicalId}.Arn>/*`,
    ];
    const managed = 'Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AWSLambdaBasicExecutionRole';
    Validations.of(this).acknowledge(
      { id: 'AwsSolutions-L1', reason },
      { id: `AwsSolutions-IAM4[${managed}]`, reason },
      ...wildcards.map((finding) => ({ id: `AwsSolutions-IAM5[${finding}]`, reason })),
    );
  }
}
