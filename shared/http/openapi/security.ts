import type { AnyContract, CredentialKind } from '../../contracts/contract.ts';
import type { JsonObject } from './json.ts';

/** How each kind of proof is carried. A connect token stands in the path, where OpenAPI knows no proofs. */
const schemes = {
  partnerKey: {
    type: 'apiKey',
    in: 'header',
    name: 'x-api-key',
    description: "Partner API key: an organisation's own, for the permissions that it was made with.",
  },
  userToken: {
    type: 'apiKey',
    in: 'header',
    name: 'x-api-key',
    description: 'User-based access token, from the token endpoint: valid 90 days, refreshed before.',
  },
  bearer: {
    type: 'http',
    scheme: 'bearer',
    description: 'Access token of the client_credentials grant: valid 1 hour.',
  },
  client: {
    type: 'http',
    scheme: 'basic',
    description: 'OAuth client id and secret.',
  },
} as const satisfies Partial<Record<CredentialKind, JsonObject>>;
type SchemeName = keyof typeof schemes;

/** The schemes that prove a kind: an OAuth client may use its partner key instead. */
const proofs: Readonly<Record<CredentialKind, readonly SchemeName[]>> = {
  partnerKey: ['partnerKey'],
  userToken: ['userToken'],
  bearer: ['bearer'],
  client: ['client', 'partnerKey'],
  connectToken: [],
  none: [],
};

/** The `security` of an operation: any one of these, with the permission that it needs. */
export function securityOf({ credential, permission }: AnyContract): JsonObject[] {
  return proofs[credential.kind].map((name) => ({ [name]: permission === undefined ? [] : [permission] }));
}

/** The security schemes of a host. */
export function securitySchemesOf(contracts: readonly AnyContract[]): JsonObject {
  const used = new Set(contracts.flatMap(({ credential }) => proofs[credential.kind]));
  return Object.fromEntries(Object.entries(schemes).filter(([name]) => used.has(name as SchemeName)));
}
