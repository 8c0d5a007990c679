import { Child } from '../processes/child.ts';
import type { Sender } from '../sender.ts';
import { keyOf, secretOfKey } from '../signatures.ts';
import type { EngineApi } from './engine-process.ts';

let child: Child<EngineApi> | undefined;
let registered = 0;

function running(): Child<EngineApi> {
  if (!child) throw new Error('the engine was not started');
  return child;
}

/** Our delivery engine in a process of its own, fed directly: no bus, no queue between the events and the engine. */
export const sender: Sender = {
  unavailable: 'the delivery engine cannot be fed directly yet',
  async start({ concurrency }) {
    child = new Child<EngineApi>(new URL('engine-process.ts', import.meta.url));
    await child.call('start', { concurrency });
  },
  async registerEndpoint({ url, topic }) {
    const key = keyOf(registered);
    registered += 1;
    return { id: await running().call('register', { url, topic, salt: key.toString() }), secret: secretOfKey(key) };
  },
  publish: (events) => running().call('publish', events),
  stats: () => running().stats(),
  stop: async () => child?.stop(),
};
