import { fork } from 'node:child_process';
import { once } from 'node:events';
import * as z from 'zod/mini';
import type { answers } from './answers.ts';
import type { secureAnswers } from './secure-answers.ts';

/** The kind of an endpoint; it completes the sentence "an endpoint that …". */
export type Hostility = keyof typeof answers | keyof typeof secureAnswers | 'never accepts';

/** A separate process with one endpoint of each kind. */
export interface HostileReceivers {
  /** The loopback port of the endpoint. */
  portOf(hostility: Hostility): number;
  stop(): Promise<void>;
}

const Ports = z.record(z.string(), z.int());

/** Starts the process and waits until all endpoints listen. */
export async function startHostileReceivers(): Promise<HostileReceivers> {
  const child = fork(new URL('./main.ts', import.meta.url), { execArgv: [] });
  const exited = once(child, 'exit');
  const [message] = await Promise.race([
    once(child, 'message'),
    exited.then(([code]) => Promise.reject(new Error(`the hostile receivers ended with ${code}`))),
  ]);
  const ports = Ports.parse(message);

  return {
    portOf(hostility) {
      const port = ports[hostility];
      if (port === undefined) throw new Error(`no endpoint ${hostility}`);
      return port;
    },
    async stop() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}
