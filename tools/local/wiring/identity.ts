import { join } from 'node:path';
import { localAccount } from '../account.ts';
import { callAws, dynamoDbService } from '../aws-json.ts';
import { type AdmitSignUp, startCognito } from '../cognito/server.ts';
import { findUserPool, type UserPool } from '../cognito/user-pool.ts';
import { type NewUser, Users } from '../cognito/users.ts';
import type { Lambda } from '../lambda/lambda.ts';
import type { LocalUrls } from '../template/local-urls.ts';
import { type Foundations, findTables, type StartContext } from './services.ts';

/** The user pool of the template. */
export interface Identity {
  readonly url: string;
  /** Adds people who can sign in at once, as if they had signed up before. */
  addPeople(people: readonly NewUser[]): void;
}

/** Starts the user pool of the template with the users that were kept. Returns undefined if there is no pool. */
export async function startIdentity(
  { resources, dynamodb }: Foundations,
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
    findInvited: () => findInvited(dynamodb.endpoint, findTables(resources)[0]?.ref ?? '', clock.now()),
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

interface InvitedPage {
  readonly Items: readonly { readonly email: { readonly S: string } }[];
  readonly LastEvaluatedKey?: object;
}

/**
 * Finds the addresses with an open invitation, or of people whose identity was reset. The page of the sign-in offers them,
 * because no message of an invitation arrives on this machine. Reads the whole table.
 */
async function findInvited(endpoint: string, table: string, nowMs: number): Promise<string[]> {
  const emails = new Set<string>();
  let start: object | undefined;
  do {
    const page: InvitedPage = await callAws(dynamoDbService(endpoint), 'Scan', {
      TableName: table,
      ProjectionExpression: 'email',
      FilterExpression:
        '(begins_with(pk, :organisation) AND begins_with(sk, :invitation) AND expiresAt > :now)' +
        ' OR (sk = :staff AND attribute_type(#identity, :null))',
      ExpressionAttributeNames: { '#identity': 'identity' },
      ExpressionAttributeValues: {
        ...{ ':organisation': { S: 'ORGANISATION#' }, ':invitation': { S: 'INVITATION#' } },
        ...{ ':now': { S: new Date(nowMs).toISOString() }, ':staff': { S: 'STAFF' }, ':null': { S: 'NULL' } },
      },
      ...(start && { ExclusiveStartKey: start }),
    });
    for (const { email } of page.Items) emails.add(email.S);
    start = page.LastEvaluatedKey;
  } while (start);
  return [...emails].sort();
}
