import type { RelayedEvent } from '../../contracts/events.ts';
import { maximumCharacters } from '../../contracts/limits.ts';
import { outboxAttribute } from '../../contracts/table.ts';
import type { DeadLetters } from '../../events/dead-letters.ts';
import type { EventBus } from '../../events/event-bus.ts';
import { eventsIn } from '../../store/outbox/outbox.ts';
import type { Item } from '../../store/table/table-client.ts';
import type { Deps } from '../operation.ts';

export { addsEvents } from '../../store/outbox/outbox.ts';

/** A change of an item in the table's stream. */
export interface StreamChange {
  /** The item after the change. */
  readonly item: Item;
  /** The place of the change in the stream. */
  readonly sequenceNumber: string | undefined;
  /** Returns the function's input for this change alone. Of the item, it contains the key and the given attributes. */
  readonly toInput: (attributes: readonly string[]) => object;
}

export interface RelayDeps extends Pick<Deps, 'log'> {
  readonly bus: Pick<EventBus, 'publish'>;
  /** The queue for items whose events cannot be read, or that the bus refuses for good. */
  readonly deadLetters: Pick<DeadLetters, 'add'>;
}

/**
 * Publishes the events of changed items on the bus, in the order of the changes and at least once. An item goes to the
 * dead-letter queue in two cases:
 * - its events cannot be read (decision 0178);
 * - the bus refuses one of its events for good.
 *
 * Such an item does not stop the other items.
 *
 * @returns how many changes at the beginning of `changes` are published or in the dead-letter queue; the caller has to
 * retry the others
 * @throws the error of the bus or the queue when it fails at the first change
 */
export async function relayOutbox(changes: readonly StreamChange[], deps: RelayDeps): Promise<number> {
  let handled = 0;
  try {
    while (handled < changes.length) {
      const { readable, problem } = readEvents(changes.slice(handled));
      const end = handled + readable.length;
      const { settled, refused } = await publish(readable, deps);
      const settledEnd = handled + settled;
      for (const each of refused) {
        handled = changes.indexOf(each.change);
        await setAside('outbox.refused', each, deps);
      }
      handled = settledEnd;
      if (handled < end) return handled;
      if (!problem) continue;
      await setAside('outbox.unreadable', problem, deps);
      handled += 1;
    }
  } catch (error) {
    if (handled === 0) throw error;
    // The error is not thrown: the caller would retry all changes, and publish events or set items aside a second time.
    deps.log.error('outbox.interrupted', { handled, of: changes.length, error });
  }
  return handled;
}

/** A change and its events. */
interface Readable {
  readonly change: StreamChange;
  readonly events: readonly RelayedEvent[];
}

/** A change whose events cannot be read, or one of whose events the bus refuses for good. */
interface Problem {
  readonly change: StreamChange;
  readonly error: unknown;
}

/** The events of the changes before the first unreadable item, and that item. */
function readEvents(changes: readonly StreamChange[]): { readable: Readable[]; problem?: Problem } {
  const readable: Readable[] = [];
  for (const change of changes) {
    try {
      readable.push({ change, events: eventsIn(change.item) });
    } catch (error) {
      return { readable, problem: { change, error } };
    }
  }
  return { readable };
}

/**
 * Publishes the events of changes in their order.
 *
 * @returns `settled`: how many changes at the beginning of `readable` need no retry, because each of their events is on
 *   the bus or refused for good. `refused`: the changes among them that have a refused event
 */
async function publish(readable: readonly Readable[], { bus, log }: RelayDeps) {
  const owners = readable.flatMap(({ change, events }) => events.map(() => change));
  const published = await bus.publish(readable.flatMap(({ events }) => events));
  const unsettled = owners[published.settled];
  const settled = unsettled ? readable.findIndex(({ change }) => change === unsettled) : readable.length;
  const problems = new Map(
    published.refused.flatMap(({ position, error }) => {
      const change = owners[position];
      return change && change !== unsettled ? [[change, error]] : [];
    }),
  );
  if (unsettled) {
    log.error('outbox.not_published', {
      published: published.settled - published.refused.length,
      of: owners.length,
    });
  }
  return { settled, refused: [...problems].map(([change, error]) => ({ change, error })) };
}

/**
 * Adds a message to the dead-letter queue: the input for a later run, or, if that is too long, only the item's key and
 * the change's place in the stream.
 */
async function setAside(message: string, { change, error }: Problem, { deadLetters, log }: RelayDeps): Promise<void> {
  const { item, sequenceNumber } = change;
  const { pk, sk } = item;
  const input = asciiJson(change.toInput(['event', outboxAttribute]));
  const isTooLong = input.length > maximumCharacters.deadLetter;
  await deadLetters.add(isTooLong ? asciiJson({ pk, sk, sequenceNumber }) : input, `${pk} ${sk}: ${error}`);
  log.error(message, { pk, sk, sequenceNumber, error });
}

/** JSON in ASCII: SQS refuses a message with certain characters, such as U+FFFE, and would refuse it at every retry. */
function asciiJson(value: object): string {
  const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return JSON.stringify(value).replaceAll(/[^ -~]/g, escaped);
}
