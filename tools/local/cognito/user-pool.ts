import type { Resource, Resources } from '../template/resources.ts';

/** An application that people of a pool sign in to. */
export interface PoolClient {
  readonly id: string;
  readonly callbackUrls: readonly string[];
  readonly logoutUrls: readonly string[];
}

/** A user pool of the template. */
export interface UserPool {
  readonly id: string;
  /** The issuer's identifier on AWS. It is the same here, so a person has the same identity at every start. */
  readonly issuer: string;
  /** ARN of the function that admits people before they sign up. */
  readonly preSignUp: string | undefined;
  /** The URLs of the clients are the ones of the template. */
  readonly clients: readonly PoolClient[];
}

interface ClientProperties {
  readonly UserPoolId: string;
  readonly CallbackURLs?: readonly string[];
  readonly LogoutURLs?: readonly string[];
}

/**
 * Finds the user pool of the template.
 * @throws Error when there are several
 */
export function findUserPool(resources: Resources): UserPool | undefined {
  const [pool, another] = resources.ofType('AWS::Cognito::UserPool');
  if (another) throw new Error(`${another.logicalId}: the local platform has one user pool at most`);
  if (!pool) return undefined;
  const { LambdaConfig } = pool.properties<{ LambdaConfig?: { readonly PreSignUp?: string } }>();
  const clients = resources.ofType('AWS::Cognito::UserPoolClient').map(readClient);
  return { id: pool.ref, issuer: pool.attribute('ProviderURL'), preSignUp: LambdaConfig?.PreSignUp, clients };
}

function readClient(resource: Resource): PoolClient {
  const { CallbackURLs = [], LogoutURLs = [] } = resource.properties<ClientProperties>();
  return { id: resource.ref, callbackUrls: CallbackURLs, logoutUrls: LogoutURLs };
}
