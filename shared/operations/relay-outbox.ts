import type { RelayedEvent } from '../contracts/events.ts';
import { maximumCharacters } from '../contracts/limits.ts';
import { outboxAttribute } from '../contracts/table.ts';
import type { DeadLetters } from '../events/dead-letters.ts';
import type { EventBus } from '../events/event-bus.ts';
import { eventsIn } from '../store/outbox/outbox.ts';
import type { Item } from '../store/table/table-client.ts';
import type { Deps } from './operation.ts';

export { addsEvents } from '../store/outbox/outbox.ts';

/** A change of an item in the table's stream. */
export interface StreamChange {
  /** The item after the change. */
  readonly item: Item;
  /** The place of the change in the stream. */
  readonly sequenceNumber: string | undefined;
  /** The input with which the function repeats this change, with only some attributes of the item beside its key. */
  readonly toInput: (attributes: readonly string[]) => object;
}

export interface RelayDeps extends Pick<Deps, 'log'> {
  readonly bus: Pick<EventBus, 'publish'>;
  /** The queue for items whose events cannot be read. */
  readonly deadLetters: Pick<DeadLetters, 'add'>;
}

/**
 * Publishes the events of changed items on the bus, in the order of the changes. An item whose events cannot be read is
 * set aside in the dead-letter queue, and the others go on (decision 0178). A repetition may publish some events twice.
 *
 * @returns how many changes, from the first on, are published or set aside; the caller has to retry the others
 * @throws the error of the bus or the queue when it fails at the first change
 */
export async function relayOutbox(changes: readonly StreamChange[], deps: RelayDeps): Promise<number> {
  let handled = 0;
  try {
    while (handled < changes.length) {
      const { readable, problem } = readEvents(changes.slice(handled));
      const published = await publish(readable, deps);
      handled += published;
      if (published < readable.length) return handled;
      if (!problem) continue;
      await setAside(problem, deps);
      handled += 1;
    }
  } catch (error) {
    if (handled === 0) throw error;
    // The error is not thrown: the caller would retry all changes, and publish events or set items aside a second time.
    deps.log.error('outbox.interrupted', { handled, of: changes.length, error });
  }
  return handled;
}

/** A change whose events cannot be read. */
interface Problem {
  readonly change: StreamChange;
  readonly error: unknown;
}

/** The events of the changes before the first unreadable item, one list per change, and that item. */
function readEvents(changes: readonly StreamChange[]): { readable: RelayedEvent[][]; problem?: Problem } {
  const readable: RelayedEvent[][] = [];
  for (const change of changes) {
    try {
      readable.push(eventsIn(change.item));
    } catch (error) {
      return { readable, problem: { change, error } };
    }
  }
  return { readable };
}

/** Returns how many of the lists, from the first on, have all their events on the bus. */
async function publish(lists: readonly RelayedEvent[][], { bus, log }: RelayDeps): Promise<number> {
  const events = lists.flat();
  const published = await bus.publish(events);
  if (published === events.length) return lists.length;
  log.error('outbox.not_published', { published, of: events.length });
  return lists.filter((_, position) => lists.slice(0, position + 1).flat().length <= published).length;
}

/** Puts what the function needs to send the events later into the dead-letter queue. */
async function setAside({ change, error }: Problem, { deadLetters, log }: RelayDeps): Promise<void> {
  const { item, sequenceNumber } = change;
  const { pk, sk } = item;
  const input = asciiJson(change.toInput(['event', outboxAttribute]));
  const isTooLong = input.length > maximumCharacters.deadLetter;
  await deadLetters.add(isTooLong ? asciiJson({ pk, sk, sequenceNumber }) : input, `${pk} ${sk}: ${error}`);
  log.error('outbox.unreadable', { pk, sk, sequenceNumber, error });
}

/** JSON in ASCII: SQS refuses a message with certain characters, such as U+FFFE, and would refuse it at every retry. */
function asciiJson(value: object): string {
  const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return JSON.stringify(value).replaceAll(/[^ -~]/g, escaped);
}
