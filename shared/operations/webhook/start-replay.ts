import { maximumCount } from '../../contracts/limits.ts';
import { InvalidInputError, plainError } from '../../domain/errors.ts';
import { isUuid } from '../../domain/ids.ts';
import { newReplayWrite, type Replay, Replays } from '../../store/webhook/replays.ts';
import { newHealth, withReplay } from '../../webhooks/endpoint-health.ts';
import type { Deps } from '../operation.ts';
import { nextDeliveries, replayedStates } from './advance-replay.ts';
import {
  type EndpointRequest,
  findEndpointStores,
  findReadableEndpoint,
  type getEndpointStores,
  type RequestedDeps,
  requestWork,
} from './find-endpoint.ts';

/** A replay of the endpoint is in progress. */
export class ReplayInProgressError extends plainError(
  'ReplayInProgressError',
  'A replay of the endpoint is in progress',
) {}

/** The deliveries that a caller wants to be sent again. */
export interface ReplayRequest extends EndpointRequest {
  /** Events from this time on. */
  readonly since: Date;
  /** Events before this time; now by default, and never later. */
  readonly until: Date | undefined;
  readonly scope: Replay['scope'];
}

/**
 * Starts to send deliveries again. The replay is stored in the table, and the runs for the endpoint carry it out in
 * steps. The endpoint has one replay at a time. The replay waits while the endpoint does not work.
 *
 * @throws InvalidInputError when the period is empty
 * @throws SubscriptionNotFoundError, SubscriptionNotReadableError, ReplayInProgressError
 */
export function startReplay(
  request: ReplayRequest,
  deps: RequestedDeps<Replay, typeof getEndpointStores>,
): Promise<Replay> {
  return requestWork(
    request,
    ({ subscriptionId, health = newHealth }, now) => {
      const replay = newReplay(request, { replayId: deps.nextUuid(), now });
      if (health.replayId !== undefined) throw new ReplayInProgressError();
      return {
        health: withReplay(health, replay.replayId, now),
        writes: [newReplayWrite(replay)],
        what: `replays ${replay.scope} deliveries of subscription ${subscriptionId} since ${replay.since}`,
        result: replay,
      };
    },
    deps,
  );
}

/** How many deliveries a replay would send again. */
export interface ReplayEstimate {
  readonly count: number;
  /** Whether there are more deliveries than were counted. */
  readonly hasMore: boolean;
}

/**
 * Counts the deliveries that a replay would send again, the oldest first and up to a limit. Changes nothing.
 *
 * @throws as {@link startReplay}, except ReplayInProgressError
 */
export async function estimateReplay(
  request: ReplayRequest,
  deps: Deps<typeof getEndpointStores>,
): Promise<ReplayEstimate> {
  await findReadableEndpoint(request, deps);
  let replay = newReplay(request, { replayId: deps.nextUuid(), now: deps.now() });
  let count = 0;
  let hasMore = true;
  for (let looked = 0; hasMore && looked < maximumCount.searchedDeliveries; looked += maximumCount.replayPage) {
    const page = await nextDeliveries(replay, deps);
    count += page.items.filter(({ state }) => replayedStates[replay.scope].includes(state)).length;
    hasMore = page.hasMore;
    replay = { ...replay, lookedAt: page.items.at(-1)?.event.id };
  }
  return { count, hasMore };
}

function newReplay(
  { subscriptionId, since, until, scope }: ReplayRequest,
  { replayId, now }: { readonly replayId: string; readonly now: Date },
): Replay {
  const end = until !== undefined && until < now ? until : now;
  if (since >= end) {
    const path = [until !== undefined && until < now ? 'until' : 'since'];
    throw new InvalidInputError([{ path, code: 'empty_period', message: 'leaves no time between since and until' }]);
  }
  const at = now.toISOString();
  return {
    ...{ replayId, subscriptionId, since: since.toISOString(), until: end.toISOString(), scope },
    ...{ state: 'running', replayed: 0, createdAt: at, updatedAt: at },
  };
}

export const getReplayStores = { ...findEndpointStores, replays: Replays };

/** The subscription has no such replay, or its 30 days are over. */
export class ReplayNotFoundError extends plainError('ReplayNotFoundError', 'The replay does not exist') {}

/**
 * Loads the progress of a replay.
 *
 * @throws SubscriptionNotFoundError, SubscriptionNotReadableError, ReplayNotFoundError
 */
export async function getReplay(
  request: EndpointRequest & { readonly replayId: string },
  deps: Deps<typeof getReplayStores>,
): Promise<Replay> {
  const { subscriptionId } = await findReadableEndpoint(request, deps);
  const { replayId } = request;
  const found = isUuid(replayId) ? await deps.replays.find(subscriptionId, replayId) : undefined;
  if (!found) throw new ReplayNotFoundError();
  return found;
}
