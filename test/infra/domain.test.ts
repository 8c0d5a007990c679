import { App } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { Code } from 'aws-cdk-lib/aws-lambda';
import { describe, expect, it } from 'vitest';
import { contracts } from '../../functions/contracts.ts';
import { DataStack } from '../../infra/stacks/data-stack.ts';
import { EdgeStack, HostStack } from '../../infra/stacks/host-stacks.ts';
import { publicUrlOf, type StageSettings, stageSettings } from '../../infra/stages.ts';
import { hosts } from '../../shared/contracts/contract.ts';
import './support/synthesized.ts';

const sandbox = stageSettings('sandbox');
const name = 'sandbox.example.com';
const inZone: StageSettings = { ...sandbox, domain: { name, hostedZoneId: 'Z0123456789' } };
const certificateArn = 'arn:aws:acm:us-east-1:123456789012:certificate/own';
const ownCertificate: StageSettings = { ...sandbox, domain: { name, certificateArn } };

/** The template of the reward host with two of its endpoints. */
function rewardHost(stage: StageSettings): Template {
  const app = new App({ context: { 'aws:cdk:disable-stack-trace': true } });
  const data = new DataStack(app, 'data', { stage, code: (folder) => Code.fromInline(`// ${folder}`) });
  const edge = new EdgeStack(app, 'edge', { stage });
  const own = contracts.filter(({ host }) => host === 'reward').slice(0, 2);
  return Template.fromStack(new HostStack(app, 'reward', { stage, data, edge, host: 'reward', contracts: own }));
}

const baseUrlsIn = (template: Template) =>
  Object.values(template.findResources('AWS::Lambda::Function')).map(
    ({ Properties }) => Properties.Environment.Variables.BASE_URL,
  );

describe('a host with a domain', () => {
  const template = rewardHost(inZone);

  it('answers only at its name, with TLS 1.2 or later', () => {
    template.hasResourceProperties('AWS::ApiGateway::DomainName', {
      DomainName: `reward.${name}`,
      EndpointConfiguration: { Types: ['REGIONAL'], IpAddressType: 'dualstack' },
      SecurityPolicy: 'TLS_1_2',
    });
    const [mapping] = Object.values(template.findResources('AWS::ApiGateway::BasePathMapping'));
    expect(mapping?.Properties).toMatchObject({ RestApiId: expect.anything(), Stage: expect.anything() });
    expect(mapping?.Properties).not.toHaveProperty('BasePath');
    template.hasResourceProperties('AWS::ApiGateway::RestApi', { DisableExecuteApiEndpoint: true });
  });

  it('has a certificate, and records for IPv4 and IPv6', () => {
    template.hasResourceProperties('AWS::CertificateManager::Certificate', {
      DomainName: `reward.${name}`,
      ValidationMethod: 'DNS',
      DomainValidationOptions: [{ DomainName: `reward.${name}`, HostedZoneId: 'Z0123456789' }],
    });
    for (const Type of ['A', 'AAAA']) {
      template.hasResourceProperties('AWS::Route53::RecordSet', {
        ...{ Type, Name: `reward.${name}.`, HostedZoneId: 'Z0123456789' },
        AliasTarget: { DNSName: { 'Fn::GetAtt': [Match.anyValue(), 'RegionalDomainName'] } },
      });
    }
  });

  it('uses the URL of the domain in its functions and its output', () => {
    for (const url of baseUrlsIn(template)) expect(url).toBe(`https://reward.${name}`);
    template.hasOutput('Url', { Value: `https://reward.${name}/` });
  });

  it('makes no records when a certificate but no zone is configured', () => {
    const own = rewardHost(ownCertificate);

    own.hasResourceProperties('AWS::ApiGateway::DomainName', { RegionalCertificateArn: certificateArn });
    own.resourceCountIs('AWS::CertificateManager::Certificate', 0);
    own.resourceCountIs('AWS::Route53::RecordSet', 0);
    own.hasOutput('DomainTarget', { Value: { 'Fn::GetAtt': [Match.anyValue(), 'RegionalDomainName'] } });
  });

  it('makes records when both a certificate and a zone are configured', () => {
    const both = rewardHost({ ...sandbox, domain: { name, certificateArn, hostedZoneId: 'Z0123456789' } });

    both.resourceCountIs('AWS::CertificateManager::Certificate', 0);
    both.resourceCountIs('AWS::Route53::RecordSet', 2);
  });
});

describe('a host without a domain', () => {
  it('has the address of API Gateway', () => {
    const template = rewardHost(sandbox);

    template.resourceCountIs('AWS::ApiGateway::DomainName', 0);
    template.hasResourceProperties('AWS::ApiGateway::RestApi', { DisableExecuteApiEndpoint: false });
    for (const url of baseUrlsIn(template)) expect(JSON.stringify(url)).toContain('.execute-api.us-east-1.');
  });

  it('gives callers the URL of the configured proxy', () => {
    const template = rewardHost({ ...sandbox, publicUrls: { reward: 'https://rewards.example/v1' } });

    template.hasResourceProperties('AWS::ApiGateway::RestApi', { DisableExecuteApiEndpoint: false });
    for (const url of baseUrlsIn(template)) expect(url).toBe('https://rewards.example/v1');
  });
});

describe('publicUrlOf()', () => {
  it.each(hosts)('returns the URL of the host %s in the domain, unless another URL is configured', (host) => {
    expect(publicUrlOf(sandbox, host)).toBeUndefined();
    expect(publicUrlOf(inZone, host)).toBe(`https://${host}.${name}`);
    const url = 'https://rewards.example/base';
    expect(publicUrlOf({ ...inZone, publicUrls: { [host]: url } }, host)).toBe(url);
  });
});
