import * as z from 'zod/mini';
import { retentionMs, toSeconds } from '../../contracts/limits.ts';
import { partitions, ttlAttribute } from '../../contracts/table.ts';
import { defineEntity, isNew, Repository, type Write } from '../table/table-client.ts';

/** A request to send the deliveries of a subscription again, from a time on. */
export const Replay = z.object({
  replayId: z.uuid(),
  subscriptionId: z.uuid(),
  /** The deliveries of events from this time on. */
  since: z.iso.datetime(),
  /** The deliveries of events before this time. */
  until: z.iso.datetime(),
  /** `failed`: deliveries that never succeeded and get no further attempt. `all`: also deliveries that succeeded. */
  scope: z.enum(['failed', 'all']),
  state: z.enum(['running', 'done']),
  /** How many deliveries were parked for a new attempt. */
  replayed: z.int(),
  /** The id of the last event that was looked at. */
  lookedAt: z.optional(z.string()),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
});
export type Replay = z.infer<typeof Replay>;

const replays = defineEntity(Replay, (subscriptionId: string, replayId: string) => ({
  pk: `${partitions.delivery}${subscriptionId}#REPLAYS`,
  sk: replayId,
}));

/** The replays of subscriptions. */
export class Replays extends Repository {
  async find(subscriptionId: string, replayId: string): Promise<Replay | undefined> {
    const item = await this.table.get(replays.key(subscriptionId, replayId));
    return item && replays.parse(item);
  }

  /** Records the progress of a replay. */
  async save(replay: Replay): Promise<void> {
    await this.table.write({ kind: 'put', item: itemOf(replay) });
  }
}

/** The write of a new replay. */
export const newReplayWrite = (replay: Replay): Write => ({ kind: 'put', item: itemOf(replay), when: isNew });

function itemOf(replay: Replay) {
  const ttl = toSeconds(Date.parse(replay.createdAt) + retentionMs.delivery);
  return replays.item(replays.key(replay.subscriptionId, replay.replayId), replay, { [ttlAttribute]: ttl });
}
