import { CfnOutput, CfnResource } from 'aws-cdk-lib';
import { EndpointType, type RestApi, SecurityPolicy } from 'aws-cdk-lib/aws-apigateway';
import { Certificate, CertificateValidation, type ICertificate } from 'aws-cdk-lib/aws-certificatemanager';
import { AaaaRecord, ARecord, HostedZone, type IHostedZone, RecordTarget } from 'aws-cdk-lib/aws-route53';
import { ApiGatewayDomain } from 'aws-cdk-lib/aws-route53-targets';
import { Construct } from 'constructs';
import type { Host } from '../../shared/contracts/contract.ts';
import { hostNameOf, type StageDomain } from '../stages.ts';

export interface HostDomainProps {
  readonly api: RestApi;
  readonly host: Host;
  readonly domain: StageDomain;
}

/**
 * A host's name in the domain of its stage. The name leads to the root of the host's API. The stack of the host
 * contains everything that the name needs, even the certificate. A certificate of another stack could not be removed
 * while this stack imports it.
 */
export class HostDomain extends Construct {
  constructor(scope: Construct, id: string, { api, host, domain }: HostDomainProps) {
    super(scope, id);
    const name = hostNameOf(domain, host);
    const zone = this.#zone(domain);
    const domainName = api.addDomainName('Domain', {
      domainName: name,
      certificate: this.#certificate(name, domain, zone),
      endpointType: EndpointType.REGIONAL,
      // TLS 1.2 and later.
      securityPolicy: SecurityPolicy.TLS_1_2,
    });
    const { defaultChild: resource } = domainName.node;
    // CDK's class has no option for addresses of both IPv4 and IPv6.
    if (CfnResource.isCfnResource(resource)) {
      resource.addPropertyOverride('EndpointConfiguration.IpAddressType', 'dualstack');
    }

    if (zone) {
      const target = RecordTarget.fromAlias(new ApiGatewayDomain(domainName));
      new ARecord(this, 'A', { zone, recordName: name, target });
      new AaaaRecord(this, 'Aaaa', { zone, recordName: name, target });
    } else {
      const output = new CfnOutput(this, 'Target', {
        description: `Make a DNS record of type CNAME: ${name} leads to this name`,
        value: domainName.domainNameAliasDomainName,
      });
      output.overrideLogicalId('DomainTarget');
    }
  }

  #zone(domain: StageDomain): IHostedZone | undefined {
    if (!('hostedZoneId' in domain)) return undefined;
    // The hosted zone may belong to a parent domain. A wrong zone name does no harm here, because the records have
    // complete names.
    return HostedZone.fromHostedZoneAttributes(this, 'Zone', {
      hostedZoneId: domain.hostedZoneId,
      zoneName: domain.name,
    });
  }

  #certificate(name: string, domain: StageDomain, zone: IHostedZone | undefined): ICertificate {
    if ('certificateArn' in domain) return Certificate.fromCertificateArn(this, 'Certificate', domain.certificateArn);
    return new Certificate(this, 'Certificate', {
      domainName: name,
      validation: CertificateValidation.fromDns(zone),
    });
  }
}
