import { once } from '../domain/memoize.ts';
import { Programs } from '../programs/programs.ts';
import { runtime, withStores } from '../runtime/runtime.ts';
import { Organisations } from '../store/organisation/organisations.ts';
import { isGenuine } from '../webhooks/standard-webhooks.ts';
import { endpointFor } from './endpoint.ts';
import { type IdentifyCaller, refusal } from './request.ts';

const openDeps = once(() => withStores(runtime(), { organisations: Organisations, programs: Programs }));

/**
 * Identifies a partner's own program by the signature of its request. Only the program and the platform have the key of
 * the signature. An unknown program and a wrong signature have the same reply.
 */
const identifyProgram: IdentifyCaller = async (contract, { headers, path, body }) => {
  const { organisations, programs, now } = openDeps();
  const partnerId = /^[1-9]\d{0,14}$/.test(path.partner_id ?? '') ? Number(path.partner_id) : 0;
  const isSigned = headers['webhook-signature'] !== undefined;
  const partner = isSigned && partnerId > 0 ? await organisations.find(partnerId) : undefined;
  const keys = partner?.program?.kind === 'http' ? await programs.keysOf(partnerId) : [];
  if (!isGenuine(headers, body, { keys, now: now() })) {
    throw refusal(contract, 'invalid', 'The signature is missing, wrong, or older than five minutes');
  }
  return { kind: 'program', organisationId: partnerId, scope: `program ${partnerId}` };
};

/** Makes the Lambda of a contract that partners' own programs call. */
export const programEndpoint = endpointFor(identifyProgram);
