import { Child } from '../child-process.ts';
import { keyOf, secretOfKey } from '../event.ts';
import type { Sender } from '../sender.ts';
import type { CeilingApi } from './ceiling-process.ts';

const defaultPosts = 64;

/**
 * Bare Node: signs and posts what it receives, over connections that stay open. It has no queue, stores nothing,
 * repeats nothing, limits no reply, and trusts every address. A sender that does any of these things cannot be faster.
 */
export function createCeiling(): Sender {
  let child: Child<CeilingApi> | undefined;
  let registered = 0;

  const running = (): Child<CeilingApi> => {
    if (!child) throw new Error('bare Node was not started');
    return child;
  };

  return {
    async start({ concurrency = defaultPosts }) {
      child = new Child<CeilingApi>(new URL('ceiling-process.ts', import.meta.url));
      await child.call('start', concurrency);
    },
    async registerEndpoint({ url, topic }) {
      const key = keyOf(registered);
      registered += 1;
      await running().call('register', { url, topic, key: key.toString() });
      return { id: url, secret: secretOfKey(key) };
    },
    publish: (events) => running().call('publish', events),
    stats: () => running().stats(),
    stop: async () => child?.stop(),
  };
}

export const sender = createCeiling();
