import { timingSafeEqual } from 'node:crypto';
import { once } from '../domain/memoize.ts';
import { runtime, withStores } from '../runtime/runtime.ts';
import { digestOf } from '../store/credential/credentials.ts';
import { Clients } from '../store/organisation/clients.ts';
import { endpointFor } from './endpoint.ts';
import { findCredential, isExpired, toCaller } from './identify-by-key.ts';
import { RequestRefusedError } from './reply.ts';
import { basicCredentials, type IdentifyCaller, refusal, requirePermission } from './request.ts';

const openDeps = once(() => withStores(runtime(), { clients: Clients }));

/** Identifies a client by HTTP Basic with its id and secret, or by a partner key (docs/gaps.md, "Authentication"). */
const identifyClient: IdentifyCaller = async (contract, { headers }) => {
  const key = headers['x-api-key'];
  const basic = basicCredentials(headers);
  if (basic && key !== undefined) {
    throw new RequestRefusedError(400, 'invalid_request', 'A client authenticates in one way only');
  }
  if (basic) {
    const client = await openDeps().clients.find(basic.user);
    if (!client || client.isRevoked || !isSameDigest(client.secretDigest, digestOf(basic.password))) {
      throw refusal(contract, 'invalid', 'The client id or the client secret is wrong');
    }
    const { organisationId, scopes, secretDigest } = client;
    // `scope` is the digest of the secret, not the client's id. So a new secret cannot open the replies that were
    // stored under the old secret.
    return { kind: 'organisation', organisationId, permissions: ['connect:write', ...scopes], scope: secretDigest };
  }
  const credential = key === undefined ? undefined : await findCredential(key);
  if (credential?.kind !== 'partnerKey' || credential.isRevoked || isExpired(credential)) {
    throw refusal(contract, 'invalid', 'The client has to authenticate, by HTTP Basic or with its partner key');
  }
  requirePermission(contract, credential.permissions);
  return toCaller(credential);
};

function isSameDigest(one: string, other: string): boolean {
  return one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));
}

/** Makes the Lambda of a contract that OAuth clients call. */
export const clientEndpoint = endpointFor(identifyClient);
