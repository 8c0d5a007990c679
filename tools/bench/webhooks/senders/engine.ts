import { Child } from '../child-process.ts';
import { keyOf, secretOfKey } from '../event.ts';
import type { Sender } from '../sender.ts';
import type { EngineApi } from './engine-process.ts';

let child: Child<EngineApi> | undefined;
let registered = 0;

function running(): Child<EngineApi> {
  if (!child) throw new Error('the engine was not started');
  return child;
}

/**
 * Our delivery engine in its own process, with tables, queues and schedules in memory. The bench hands events to it
 * directly.
 */
export const sender: Sender = {
  async start() {
    child = new Child<EngineApi>(new URL('engine-process.ts', import.meta.url));
  },
  async registerEndpoint({ url, topic }) {
    const key = keyOf(registered);
    registered += 1;
    return { id: await running().call('register', { url, topic, salt: key.toString() }), secret: secretOfKey(key) };
  },
  publish: (events) => running().call('publish', events),
  advanceClock: (ms) => running().call('advance', ms),
  stats: () => running().stats(),
  stop: async () => child?.stop(),
};
