import { describe, expect, it } from 'vitest';
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
