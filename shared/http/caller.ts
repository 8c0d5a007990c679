import type { ConnectSession } from '../domain/connect/connect-session.ts';
import type { Credential } from '../store/credential/credentials.ts';
import type { OAuthClient } from '../store/organisation/clients.ts';

/** An organisation, by its partner key, a bearer token or as an OAuth client. */
export interface OrganisationCaller {
  readonly kind: 'organisation';
  readonly organisationId: number;
  readonly permissions: readonly string[];
  /** Names the credential, where replies are kept apart by it. */
  readonly scope: string;
}

/** The one user that a user token speaks for, at the merchant that it was issued to. */
export interface UserCaller {
  readonly kind: 'user';
  readonly organisationId: number;
  readonly userId: number;
  readonly userUuid: string;
  readonly scope: string;
}

/** A person on its way through the connect flow that an organisation began. */
export interface ConnectingCaller {
  readonly kind: 'connecting';
  readonly organisationId: number;
  readonly session: ConnectSession;
  readonly scope: string;
}

/** Anybody. */
export interface AnonymousCaller {
  readonly kind: 'anonymous';
  readonly organisationId?: undefined;
  readonly scope: 'anybody';
}

/** Who calls, as the credential proves. */
export type Caller = OrganisationCaller | UserCaller | ConnectingCaller | AnonymousCaller;

export const anybody: AnonymousCaller = { kind: 'anonymous', scope: 'anybody' };

/** The caller of a credential. */
export function callerOf(credential: Credential): Caller {
  const { organisationId, digest: scope } = credential;
  if ('userId' in credential) {
    return { kind: 'user', organisationId, userId: credential.userId, userUuid: credential.userUuid, scope };
  }
  return { kind: 'organisation', organisationId, permissions: credential.permissions, scope };
}

/** The caller of an OAuth client that proved its secret. */
export function callerOfClient(client: OAuthClient): OrganisationCaller {
  const { organisationId, scopes, clientId } = client;
  return { kind: 'organisation', organisationId, permissions: scopes, scope: clientId };
}
