import { isOpen } from '../domain/connect/connect-session.ts';
import { once } from '../domain/memoize.ts';
import { runtime, withStores } from '../runtime/runtime.ts';
import { ConnectSessions } from '../store/connect/connect.ts';
import { digestOf, isSecretText } from '../store/credential/credentials.ts';
import { endpointFor } from './endpoint.ts';
import { type IdentifyCaller, refusal } from './request.ts';

const openDeps = once(() => withStores(runtime(), { connectSessions: ConnectSessions }));

/**
 * Identifies a person by the connect token in the path. The token is valid for as long as its session can lead to a
 * link.
 */
const identifyConnecting: IdentifyCaller = async (contract, { path, address }) => {
  const { config, connectSessions, now } = openDeps();
  const token = path.connect_token ?? '';
  const digest = digestOf(token);
  const session = isSecretText(token, config.stage) ? await connectSessions.find(digest) : undefined;
  if (!session) throw refusal(contract, 'invalid', 'The connect token is not valid');
  if (!isOpen(session, now())) throw refusal(contract, 'expired', 'The connect token has expired or was used');
  return { kind: 'connecting', organisationId: session.organisationId, session, address, scope: digest };
};

/** Makes the Lambda of a contract of the connect flow. */
export const connectEndpoint = endpointFor(identifyConnecting);
