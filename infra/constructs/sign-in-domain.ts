import { Aws, CfnOutput } from 'aws-cdk-lib';
import { Certificate, CertificateValidation, type ICertificate } from 'aws-cdk-lib/aws-certificatemanager';
import { ManagedLoginVersion, type UserPool } from 'aws-cdk-lib/aws-cognito';
import { AaaaRecord, ARecord, HostedZone, type IHostedZone, RecordTarget } from 'aws-cdk-lib/aws-route53';
import { UserPoolDomainTarget } from 'aws-cdk-lib/aws-route53-targets';
import { Construct } from 'constructs';
import { sitesRegion } from '../../shared/contracts/edge.ts';
import { type StageDomain, type StageSettings, siteNameOf } from '../stages.ts';

export interface SignInDomainProps {
  readonly stage: StageSettings;
  readonly pool: UserPool;
}

/** The domain of a user pool's pages: the stage's own, or one that Cognito gives. */
export class SignInDomain extends Construct {
  constructor(scope: Construct, id: string, { stage: { name, region, domain }, pool }: SignInDomainProps) {
    super(scope, id);
    const managedLoginVersion = ManagedLoginVersion.NEWER_MANAGED_LOGIN;
    if (!domain) {
      // It has to be unique within the region, for all accounts.
      const domainPrefix = `rewards-${name}-${Aws.ACCOUNT_ID}`;
      pool.addDomain('Domain', { managedLoginVersion, cognitoDomain: { domainPrefix } });
      return;
    }
    const domainName = siteNameOf(domain, 'sign-in');
    const zone = this.#zone(domain);
    const certificate = this.#certificate(domainName, { region, domain, zone });
    const own = pool.addDomain('Domain', { managedLoginVersion, customDomain: { domainName, certificate } });
    if (zone) {
      const target = RecordTarget.fromAlias(new UserPoolDomainTarget(own));
      new ARecord(this, 'A', { zone, recordName: domainName, target });
      new AaaaRecord(this, 'Aaaa', { zone, recordName: domainName, target });
    } else {
      const output = new CfnOutput(this, 'Target', {
        description: `Make a DNS record of type CNAME: ${domainName} leads to this name`,
        value: own.cloudFrontEndpoint,
      });
      output.overrideLogicalId('DomainTarget');
    }
  }

  #zone(domain: StageDomain): IHostedZone | undefined {
    if (!('hostedZoneId' in domain)) return undefined;
    return HostedZone.fromHostedZoneAttributes(this, 'Zone', {
      hostedZoneId: domain.hostedZoneId,
      zoneName: domain.name,
    });
  }

  /** Cognito serves the domain by CloudFront, so it takes certificates of one region only. */
  #certificate(
    domainName: string,
    { region, domain, zone }: Pick<StageSettings, 'region'> & { domain: StageDomain; zone: IHostedZone | undefined },
  ): ICertificate {
    const given = 'certificateArn' in domain ? (domain.sitesCertificateArn ?? domain.certificateArn) : undefined;
    if (given?.split(':')[3] === sitesRegion) return Certificate.fromCertificateArn(this, 'Certificate', given);
    if (region !== sitesRegion || !zone) {
      throw new Error(
        `the sign-in needs a certificate for *.${domain.name} in ${sitesRegion}: give sitesCertificateArn`,
      );
    }
    return new Certificate(this, 'Certificate', { domainName, validation: CertificateValidation.fromDns(zone) });
  }
}
