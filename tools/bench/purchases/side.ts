import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { Done, Job, JobReply } from './jobs.ts';

/** A process of its own for who asks: what asking costs is not the platform's, and not DynamoDB's. */
export class Side {
  readonly #child: ChildProcess = fork(new URL('driver.ts', import.meta.url), { env: process.env });
  readonly #ended = once(this.#child, 'exit').then((): JobReply => ({ failed: 'the process has ended' }));

  /** @throws Error when any of the job's requests was not a success */
  async run(job: Job): Promise<Done> {
    const replied = once(this.#child, 'message').then(([reply]): JobReply => reply);
    this.#child.send(job);
    const reply = await Promise.race([replied, this.#ended]);
    if ('failed' in reply) throw new Error(reply.failed);
    return reply.done;
  }

  async stop(): Promise<void> {
    this.#child.kill();
    await this.#ended;
  }
}
