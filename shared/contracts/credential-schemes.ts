import type { CredentialScheme } from './contract.ts';

/**
 * The specification's several ways to say no to a credential, as data (docs/gaps.md, "Errors").
 * Its endpoints differ in status and identifier, never in what is checked.
 */

const invalidToken = { status: 400, identifier: 'invalid_token' };
const unauthorizedRequest = { status: 401, identifier: 'unauthorized_request' };
const unauthorizedUser = { status: 401, identifier: 'unauthorized_user' };
const unauthorizedPartner = { status: 401, identifier: 'unauthorized_partner' };

/** Endpoints 3, 4, 6, 7, 9, 11 and 12. */
export const partnerKey: CredentialScheme<'partnerKey'> = {
  kind: 'partnerKey',
  invalid: invalidToken,
  expired: unauthorizedRequest,
  forbidden: unauthorizedRequest,
};

/** Endpoints 13 and 14. */
export const notificationPartnerKey: CredentialScheme<'partnerKey'> = {
  kind: 'partnerKey',
  invalid: unauthorizedPartner,
  expired: unauthorizedPartner,
  forbidden: unauthorizedPartner,
};

/** Endpoints 2 and 5. */
export const userToken: CredentialScheme<'userToken'> = {
  kind: 'userToken',
  invalid: invalidToken,
  expired: unauthorizedRequest,
  forbidden: unauthorizedRequest,
};

/** Endpoint 1. */
export const authenticatingUserToken: CredentialScheme<'userToken'> = {
  kind: 'userToken',
  invalid: unauthorizedUser,
  expired: unauthorizedUser,
  forbidden: unauthorizedUser,
};

/** Endpoints 8 and 10 (RFC 6750). */
export const bearer: CredentialScheme<'bearer'> = {
  kind: 'bearer',
  invalid: { status: 401, identifier: 'invalid_token' },
  expired: { status: 401, identifier: 'invalid_token' },
  forbidden: { status: 403, identifier: 'insufficient_scope' },
};

/** The token endpoint (RFC 6749, section 5.2). */
export const client: CredentialScheme<'client'> = {
  kind: 'client',
  invalid: { status: 401, identifier: 'invalid_client' },
  expired: { status: 401, identifier: 'invalid_client' },
  forbidden: { status: 401, identifier: 'invalid_client' },
};

/** The connect flow: its token stands in the path, and a person has no other. */
export const connectToken: CredentialScheme<'connectToken'> = {
  kind: 'connectToken',
  invalid: invalidToken,
  expired: invalidToken,
  forbidden: invalidToken,
};

/** What everybody may read. */
export const nobody: CredentialScheme<'none'> = {
  kind: 'none',
  invalid: invalidToken,
  expired: invalidToken,
  forbidden: invalidToken,
};
