import { Duration } from 'aws-cdk-lib';
import {
  AccountRecovery,
  CfnManagedLoginBranding,
  CfnUserPool,
  FeaturePlan,
  Mfa,
  OAuthScope,
  PasskeyUserVerification,
  UserPool,
  type UserPoolClient,
  type UserPoolTriggers,
} from 'aws-cdk-lib/aws-cognito';
import { Construct } from 'constructs';
import { dataRemovalPolicy, type StageSettings, siteNameOf } from '../stages.ts';
import { SignInDomain } from './sign-in-domain.ts';

export interface StaffPoolProps {
  readonly stage: StageSettings;
  /** The dashboard's URL for people, without a slash at the end. */
  readonly dashboardUrl: string;
  readonly triggers: UserPoolTriggers;
}

/**
 * The people who may sign in to the dashboard, and its client: plain OpenID Connect. The pool knows an address, a
 * password and second factors of each person, and nothing of organisations and roles. Its pages are Cognito's managed
 * login.
 */
export class StaffPool extends Construct {
  readonly pool: UserPool;
  readonly client: UserPoolClient;

  constructor(scope: Construct, id: string, { stage, dashboardUrl, triggers }: StaffPoolProps) {
    super(scope, id);
    this.pool = new UserPool(this, 'Pool', {
      userPoolName: `rewards-${stage.name}-staff`,
      // Managed login and passkeys need this plan.
      featurePlan: FeaturePlan.ESSENTIALS,
      deletionProtection: stage.keepsData,
      removalPolicy: dataRemovalPolicy(stage),
      lambdaTriggers: triggers,
      ...identification,
      ...factors,
      // A passkey belongs to the domain on which it was made. Without a name of its own, the pool takes the prefix
      // domain.
      ...(stage.domain && { passkeyRelyingPartyId: siteNameOf(stage.domain, 'sign-in') }),
    });
    this.#letPasskeysBeSecondFactors();
    new SignInDomain(this, 'SignIn', { stage, pool: this.pool });
    this.client = this.#addClient(dashboardUrl);
    // Managed login shows no page to a client without a branding.
    new CfnManagedLoginBranding(this, 'Branding', {
      userPoolId: this.pool.userPoolId,
      clientId: this.client.userPoolClientId,
      useCognitoProvidedValues: true,
    });
  }

  /** With MFA required, a passkey can sign in only if it also counts as the second factor. */
  #letPasskeysBeSecondFactors(): void {
    const { defaultChild } = this.pool.node;
    if (!(defaultChild instanceof CfnUserPool)) throw new Error('the user pool has no resource of its own');
    defaultChild.webAuthnFactorConfiguration = 'MULTI_FACTOR_WITH_USER_VERIFICATION';
  }

  #addClient(dashboardUrl: string): UserPoolClient {
    return this.pool.addClient('Client', {
      // PKCE proves who exchanges a code. So there is no secret to store and to rotate.
      generateSecret: false,
      authFlows: { user: true, userSrp: true },
      oAuth: {
        flows: { authorizationCodeGrant: true },
        scopes: [OAuthScope.OPENID, OAuthScope.EMAIL, OAuthScope.PROFILE],
        callbackUrls: [`${dashboardUrl}/api/session/callback`],
        logoutUrls: [`${dashboardUrl}/`],
      },
      // A sign-in with an unknown address fails like one with a wrong password.
      preventUserExistenceErrors: true,
      // The dashboard reads the ID token once and keeps none of the tokens.
      idTokenValidity: Duration.minutes(5),
      accessTokenValidity: Duration.minutes(5),
      refreshTokenValidity: Duration.hours(1),
    });
  }
}

/** How a person is known: by an address that the person has proved. */
const identification = {
  selfSignUpEnabled: true,
  signInAliases: { email: true },
  signInCaseSensitive: false,
  autoVerify: { email: true },
  // A new address counts only when the person has proved it.
  keepOriginal: { email: true },
  // Colleagues read the name. The page of the sign-up asks for required attributes only.
  standardAttributes: { email: { required: true, mutable: true }, fullname: { required: true, mutable: true } },
  accountRecovery: AccountRecovery.EMAIL_ONLY,
  userVerification: {
    emailSubject: 'Your code for the rewards dashboard',
    emailBody: 'Your code is {####}. It is valid for 24 hours. If you have not asked for it, ignore this e-mail.',
  },
};

/** What a person proves: a password with a code of an authenticator app, or a passkey that verifies its user. */
const factors = {
  mfa: Mfa.REQUIRED,
  mfaSecondFactor: { otp: true, sms: false },
  signInPolicy: { allowedFirstAuthFactors: { password: true, passkey: true } },
  passkeyUserVerification: PasskeyUserVerification.REQUIRED,
  passwordPolicy: {
    minLength: 12,
    requireLowercase: true,
    requireUppercase: true,
    requireDigits: true,
    requireSymbols: true,
    tempPasswordValidity: Duration.days(7),
  },
};
