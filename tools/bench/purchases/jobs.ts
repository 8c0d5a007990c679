import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';

/** The jobs of the processes that send requests, and the replies to these jobs. driver.ts does the jobs. */

/** Purchases through the platform, over HTTP. */
export interface ShopJob {
  readonly kind: 'shop';
  readonly host: string;
  readonly campaignId: number;
  /** Access tokens of the members, who buy in turn. */
  readonly tokens: readonly string[];
  /** The prefix of the orders' ids. It is unique for each job. */
  readonly name: string;
  readonly purchases: number;
  readonly concurrency: number;
}

/** Recorded writes to send to DynamoDB Local. */
export interface ReplayJob {
  readonly kind: 'replay';
  readonly endpoint: string;
  readonly table: string;
  /** The file of the recorded writes. */
  readonly file: string;
  readonly concurrency: number;
}

export type Job = ShopJob | ReplayJob;

/** The amount of one purchase. */
export const purchaseCents = 750;

/** The times of a job's first request and of its last reply, in milliseconds since the epoch. */
export interface Done {
  readonly startedAt: number;
  readonly endedAt: number;
}

export type JobReply = { readonly done: Done } | { readonly failed: string };

export const now = (): number => performance.timeOrigin + performance.now();

/** Does all pieces of work, at most `concurrency` of them at a time. */
export async function atOnce<Piece>(
  pieces: readonly Piece[],
  concurrency: number,
  work: (piece: Piece, position: number) => Promise<void>,
): Promise<Done> {
  const rest = pieces.entries();
  const startedAt = now();
  const worker = async (): Promise<void> => {
    for (const [position, piece] of rest) await work(piece, position);
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  return { startedAt, endedAt: now() };
}

/** A process that sends requests. It is separate, so that its work does not slow the platform or DynamoDB down. */
export class Sender {
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
