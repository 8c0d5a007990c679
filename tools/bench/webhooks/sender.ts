import { basename, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Spent } from './child-process.ts';
import type { BenchEvent } from './event.ts';

export type { Spent } from './child-process.ts';
export type { BenchEvent } from './event.ts';

/** The options with which a sender starts. */
interface SenderOptions {
  /** An empty folder for the sender's files. */
  readonly directory: string;
  /** How much the sender does at a time, in its own unit, such as pollers or workers. Absent: the sender decides. */
  readonly concurrency?: number | undefined;
}

/** An endpoint to register. */
interface NewEndpoint {
  readonly url: string;
  /**
   * The endpoint receives the events of this topic. Another sender may implement a topic as an event type or a tenant.
   */
  readonly topic: string;
}

/** A registered endpoint. */
interface RegisteredEndpoint {
  readonly id: string;
  /**
   * The key of the signatures in the notation of Standard Webhooks: `whsec_…`. Without it, signatures are not verified.
   */
  readonly secret?: string;
}

/**
 * A sender of webhooks to measure. An adapter file exports it under the name `sender`:
 * `npm run bench webhooks -- --sender ./my-adapter.ts`. Each scenario starts and stops it.
 */
export interface Sender {
  start(options: SenderOptions): Promise<void>;
  registerEndpoint(endpoint: NewEndpoint): Promise<RegisteredEndpoint>;
  /**
   * Accepts events, each with the body `bodyOf(event)` of event.ts. Resolves when the events can no longer be lost.
   * Calls overlap: the publisher does not wait.
   *
   * @throws Error when the sender accepted none of the events; they do not count as lost
   */
  publish(events: readonly BenchEvent[]): Promise<void>;
  /** What the delivering processes have used. A queue or database that runs as a cloud service does not count. */
  stats?(): Promise<Spent>;
  /**
   * Moves the sender's clock: its timers, queue delays and schedules. Resolves when the clock has moved. Without it, the
   * scenario `dead-hour` is skipped.
   */
  advanceClock?(ms: number): Promise<void>;
  stop(): Promise<void>;
}

/** A sender, with the name that its rows have in the tables. */
export interface NamedSender {
  readonly name: string;
  readonly sender: Sender;
}

/** The adapters of this folder, by their names on the command line. */
const ownSenders = ['ceiling', 'engine'] as const;

const isOwn = (name: string): boolean => ownSenders.some((own) => own === name);

/**
 * Loads an adapter by its name or by the path of its file.
 *
 * @throws Error when the file exports no `sender`
 */
export async function loadSender(nameOrFile: string): Promise<NamedSender> {
  const file = isOwn(nameOrFile)
    ? new URL(`senders/${nameOrFile}.ts`, import.meta.url).href
    : pathToFileURL(resolve(nameOrFile)).href;
  const { sender }: { sender?: Sender } = await import(file);
  if (!sender) throw new Error(`${nameOrFile} exports no sender: export const sender: Sender = …`);
  return { name: basename(nameOrFile, '.ts'), sender };
}
