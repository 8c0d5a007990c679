import { App } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { Code } from 'aws-cdk-lib/aws-lambda';
import { describe, expect, it } from 'vitest';
import { triggers } from '../../functions/triggers.ts';
import { DataStack } from '../../infra/stacks/data-stack.ts';
import { IdentityStack } from '../../infra/stacks/identity-stack.ts';
import { type StageSettings, stageSettings } from '../../infra/stages.ts';
import { type JsonObject, synthesized, textOf } from './support/synthesized.ts';

describe.each(['sandbox', 'production'] as const)('the user pool of the stage %s', (stage) => {
  const app = synthesized(stage);
  const pool = app.only('AWS::Cognito::UserPool');
  const client = app.only('AWS::Cognito::UserPoolClient');

  it('asks everybody for a second factor: a code of an app, or a passkey that verifies its user', () => {
    expect(pool.Properties).toMatchObject({
      UserPoolTier: 'ESSENTIALS',
      MfaConfiguration: 'ON',
      EnabledMfas: ['SOFTWARE_TOKEN_MFA'],
      Policies: { SignInPolicy: { AllowedFirstAuthFactors: ['PASSWORD', 'WEB_AUTHN'] } },
      WebAuthnUserVerification: 'required',
      WebAuthnFactorConfiguration: 'MULTI_FACTOR_WITH_USER_VERIFICATION',
    });
  });

  it('sends no SMS', () => {
    expect(pool.Properties.SmsConfiguration).toBeUndefined();
    expect(JSON.stringify(pool.Properties)).not.toContain('phone');
  });

  it('knows people by an address that they have proved', () => {
    expect(pool.Properties).toMatchObject({
      UsernameAttributes: ['email'],
      UsernameConfiguration: { CaseSensitive: false },
      AutoVerifiedAttributes: ['email'],
      UserAttributeUpdateSettings: { AttributesRequireVerificationBeforeUpdate: ['email'] },
      AccountRecoverySetting: { RecoveryMechanisms: [{ Name: 'verified_email', Priority: 1 }] },
    });
  });

  it('asks the platform before anybody signs up', () => {
    const admit = app.functionIn('identity/admit-sign-up');
    const { PreSignUp } = pool.Properties.LambdaConfig as JsonObject;

    expect(app.referredBy(PreSignUp)).toBe(admit);
    const permission = app
      .ofType('AWS::Lambda::Permission')
      .find(({ Properties }) => Properties.Principal === 'cognito-idp.amazonaws.com');
    expect(app.referredBy(permission?.Properties.SourceArn)).toBe(pool);
    expect(admit.Properties.Timeout).toBe(5);
  });

  it('gives the dashboard a code, and only at its own address', () => {
    expect(client.Properties).toMatchObject({
      GenerateSecret: false,
      AllowedOAuthFlows: ['code'],
      AllowedOAuthScopes: ['openid', 'email', 'profile'],
      PreventUserExistenceErrors: 'ENABLED',
      SupportedIdentityProviders: ['COGNITO'],
    });
    const { CallbackURLs, LogoutURLs } = client.Properties;
    expect(textOf(CallbackURLs)).toMatch(/dashboardurl.*\/api\/session\/callback$/i);
    expect(textOf(LogoutURLs)).toMatch(/dashboardurl.*\/$/i);
  });

  it('has a branding for the client, without which its pages do not appear', () => {
    const domain = app.only('AWS::Cognito::UserPoolDomain');
    const branding = app.only('AWS::Cognito::ManagedLoginBranding');

    expect(domain.Properties.ManagedLoginVersion).toBe(2);
    expect(app.referredBy(branding.Properties.ClientId)).toBe(client);
  });

  it('tells the functions issuer and client by parameters', () => {
    const parameters = app.ofType('AWS::SSM::Parameter').map(({ Properties }) => [Properties.Name, Properties.Value]);
    const values = new Map(parameters as [string, JsonObject][]);

    expect(values.get(`/rewards/${stage}/identity/issuer`)).toEqual({ 'Fn::GetAtt': [pool.id, 'ProviderURL'] });
    expect(values.get(`/rewards/${stage}/identity/client`)).toEqual({ Ref: client.id });
  });

  it('counts a refused sign-up as no failure', () => {
    const alarms = app.ofType('AWS::CloudWatch::Alarm').map(({ Properties }) => JSON.stringify(Properties));
    const own = alarms.find((alarm) => alarm.includes('nobody-can-sign-in'));

    expect(own).toContain('errors - FILL(refused, 0)');
    expect(own).toContain('sign-up.refused');
  });
});

describe('the user pool', () => {
  it('outlives its stack on production, and cannot be deleted', () => {
    expect(synthesized('production').only('AWS::Cognito::UserPool')).toMatchObject({
      DeletionPolicy: 'RetainExceptOnCreate',
      Properties: { DeletionProtection: 'ACTIVE' },
    });
    expect(synthesized('sandbox').only('AWS::Cognito::UserPool')).toMatchObject({
      DeletionPolicy: 'Delete',
      Properties: { DeletionProtection: 'INACTIVE' },
    });
  });
});

describe('the domain of the sign-in', () => {
  const sandbox = stageSettings('sandbox');
  const name = 'sandbox.example.com';
  const certificateArn = 'arn:aws:acm:us-east-1:123456789012:certificate/own';

  function templateOf(changed: Partial<StageSettings>): Template {
    const stage = { ...sandbox, ...changed };
    const app = new App({ context: { 'aws:cdk:disable-stack-trace': true } });
    const data = new DataStack(app, 'data', { stage, code: (folder) => Code.fromInline(`// ${folder}`) });
    return Template.fromStack(new IdentityStack(app, 'identity', { stage, data, triggers }));
  }

  it('is one of Cognito on a stage without a domain', () => {
    const template = templateOf({});

    template.hasResourceProperties('AWS::Cognito::UserPoolDomain', {
      Domain: { 'Fn::Join': ['', ['rewards-sandbox-', { Ref: 'AWS::AccountId' }]] },
    });
    template.resourceCountIs('AWS::Route53::RecordSet', 0);
  });

  it('is the stage’s own, with a certificate, records and passkeys that belong to it', () => {
    const template = templateOf({ domain: { name, hostedZoneId: 'Z0123456789' } });

    template.hasResourceProperties('AWS::Cognito::UserPoolDomain', {
      Domain: `sign-in.${name}`,
      CustomDomainConfig: { CertificateArn: Match.anyValue() },
    });
    template.hasResourceProperties('AWS::Cognito::UserPool', { WebAuthnRelyingPartyID: `sign-in.${name}` });
    for (const Type of ['A', 'AAAA']) {
      template.hasResourceProperties('AWS::Route53::RecordSet', { Type, Name: `sign-in.${name}.` });
    }
  });

  it('takes a given certificate of us-east-1, in any region', () => {
    const domain = { name, certificateArn: certificateArn.replace('us-east-1', 'eu-west-1') };
    const template = templateOf({ region: 'eu-west-1', domain: { ...domain, sitesCertificateArn: certificateArn } });

    template.hasResourceProperties('AWS::Cognito::UserPoolDomain', {
      CustomDomainConfig: { CertificateArn: certificateArn },
    });
    template.hasOutput('DomainTarget', {});
    expect(() => templateOf({ region: 'eu-west-1', domain })).toThrow(/give sitesCertificateArn/);
  });
});
