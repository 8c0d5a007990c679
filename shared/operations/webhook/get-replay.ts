import { plainError } from '../../domain/errors.ts';
import { isUuid } from '../../domain/ids.ts';
import { type Replay, Replays } from '../../store/webhook/replays.ts';
import type { Deps } from '../operation.ts';
import { type EndpointRequest, findEndpointStores, findReadableEndpoint } from './find-endpoint.ts';

export const getReplayStores = { ...findEndpointStores, replays: Replays };

/** The subscription has no such replay, or its 30 days are over. */
export class ReplayNotFoundError extends plainError('ReplayNotFoundError', 'The replay does not exist') {}

/** The progress of a replay. `cancelled`: the endpoint moved to another URL before the end. */
export interface ReplayProgress extends Omit<Replay, 'state'> {
  readonly state: Replay['state'] | 'cancelled';
}

/**
 * Loads the progress of a replay.
 *
 * @throws SubscriptionNotFoundError, SubscriptionNotReadableError, ReplayNotFoundError
 */
export async function getReplay(
  request: EndpointRequest & { readonly replayId: string },
  deps: Deps<typeof getReplayStores>,
): Promise<ReplayProgress> {
  const { subscriptionId, health } = await findReadableEndpoint(request, deps);
  const { replayId } = request;
  const found = isUuid(replayId) ? await deps.replays.find(subscriptionId, replayId) : undefined;
  if (!found) throw new ReplayNotFoundError();
  // A change of the URL deletes the health, and with it the order to replay.
  const isCancelled = found.state === 'running' && health?.replayId !== replayId;
  return { ...found, state: isCancelled ? 'cancelled' : found.state };
}
