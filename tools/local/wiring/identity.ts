import { join } from 'node:path';
import { localAccount } from '../account.ts';
import { type AdmitSignUp, startCognito } from '../cognito/server.ts';
import { findUserPool, type UserPool } from '../cognito/user-pool.ts';
import { type NewUser, Users } from '../cognito/users.ts';
import type { Lambda } from '../lambda/lambda.ts';
import type { LocalUrls } from '../template/local-urls.ts';
import type { Resources } from '../template/resources.ts';
import type { StartContext } from './services.ts';

/** The user pool of the template. */
export interface Identity {
  readonly url: string;
  /** Adds people who can sign in at once, as if they had signed up before. */
  addPeople(people: readonly NewUser[]): void;
}

/** Starts the user pool of the template with the users that were kept. Returns undefined if there is no pool. */
export async function startIdentity(
  resources: Resources,
  { lambda, localUrls }: { readonly lambda: () => Lambda; readonly localUrls: LocalUrls },
  { options: { persist, ports, stateDirectory }, stoppers, clock }: StartContext,
): Promise<Identity | undefined> {
  const pool = findUserPool(resources);
  if (!pool) return undefined;
  const users = new Users(persist ? join(stateDirectory, 'data', 'users.json') : undefined);
  const cognito = await startCognito({
    pool,
    users,
    localize: (url) => localUrls.localize(url),
    admit: createAdmission(pool, lambda),
    now: clock.now,
    port: ports?.oidc,
  });
  stoppers.add(() => cognito.close());
  return {
    url: cognito.url,
    addPeople: (people) => {
      for (const person of people) users.add(pool.id, person, clock.now());
    },
  };
}

/** Asks the pool's function. As on AWS, its error refuses the sign-up. */
function createAdmission({ id, preSignUp, clients }: UserPool, lambda: () => Lambda): AdmitSignUp {
  return async ({ email, name }) => {
    if (preSignUp === undefined) return undefined;
    const { error } = await lambda().invoke(preSignUp, {
      version: '1',
      triggerSource: 'PreSignUp_SignUp',
      region: localAccount.region,
      userPoolId: id,
      userName: email,
      callerContext: { awsSdkVersion: 'local', clientId: clients[0]?.id ?? '' },
      request: { userAttributes: { email, name }, validationData: null },
      response: { autoConfirmUser: false, autoVerifyEmail: false, autoVerifyPhone: false },
    });
    return error && `PreSignUp failed with error ${error.errorMessage}.`;
  };
}
