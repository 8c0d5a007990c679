import { maximumCount } from '../../contracts/limits.ts';
import { firstUuidAt } from '../../domain/ids.ts';
import type { Deliveries } from '../../store/webhook/deliveries.ts';
import type { Replay, Replays } from '../../store/webhook/replays.ts';
import { type Delivery, type DeliveryState, parkedAgain } from '../../webhooks/delivery.ts';
import type { Deps } from '../operation.ts';

export interface ReplayDeps extends Pick<Deps, 'now' | 'log'> {
  readonly deliveries: Pick<Deliveries, 'list' | 'park' | 'record'>;
  readonly replays: Pick<Replays, 'find' | 'save'>;
}

/** The states of the deliveries that a replay sends again. */
export const replayedStates: Readonly<Record<Replay['scope'], readonly DeliveryState[]>> = {
  failed: ['failed'],
  all: ['failed', 'delivered'],
};

/**
 * Parks the next deliveries of a replay, the oldest first, so that they are sent again. Safe to repeat: if the process
 * ends before the progress is saved, the same deliveries are parked again.
 *
 * @returns whether the replay has more deliveries
 */
export async function advanceReplay(subscriptionId: string, replayId: string, deps: ReplayDeps): Promise<boolean> {
  const replay = await deps.replays.find(subscriptionId, replayId);
  if (!replay || replay.state === 'done') return false;
  const { items, hasMore } = await nextDeliveries(replay, deps);
  const wanted = items.filter(({ state }) => replayedStates[replay.scope].includes(state));
  const now = deps.now();
  const records = wanted.map(({ event }) => parkedAgain(event, now));
  // First the deliveries are parked, then the log shows them as parked. In the opposite order, a repetition would skip
  // deliveries that were never parked.
  await deps.deliveries.park(subscriptionId, ...records.map(({ parked }) => parked));
  await deps.deliveries.record(subscriptionId, ...records.map(({ delivery }) => ({ delivery })));
  const lookedAt = items.at(-1)?.event.id ?? replay.lookedAt;
  const replayed = replay.replayed + wanted.length;
  const state = hasMore ? 'running' : 'done';
  const updatedAt = now.toISOString();
  await deps.replays.save({ ...replay, state, replayed, updatedAt, ...(lookedAt !== undefined && { lookedAt }) });
  deps.log.info('replay.advanced', { subscriptionId, replayId, replayed, state });
  return hasMore;
}

/** The next deliveries of the period of a replay, in every state, the oldest first. */
export async function nextDeliveries(
  { subscriptionId, since, until, lookedAt }: Replay,
  { deliveries }: { readonly deliveries: Pick<Deliveries, 'list'> },
) {
  const from = lookedAt ?? firstUuidAt(new Date(since));
  const page = await deliveries.list(subscriptionId, {
    limit: maximumCount.replayPage,
    // Lists are newest first, so the previous page contains the later events.
    position: { towards: 'prev', from },
  });
  const end = firstUuidAt(new Date(until));
  const oldestFirst: Delivery[] = page.items.toReversed();
  const items = oldestFirst.filter(({ event }) => event.id < end);
  return { items, hasMore: page.prev !== null && items.length === oldestFirst.length };
}
