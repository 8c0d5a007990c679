import { Logger } from '@aws-lambda-powertools/logger';
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { unmarshall, type unmarshallOptions } from '@aws-sdk/util-dynamodb';
import type {
  Context,
  DynamoDBBatchResponse,
  DynamoDBRecord,
  DynamoDBStreamEvent,
  SQSBatchResponse,
  SQSEvent,
} from 'aws-lambda';
import * as z from 'zod/mini';
import type { Consumer } from '../contracts/consumer.ts';
import { isUuid } from '../domain/ids.ts';
import { once } from '../domain/memoize.ts';
import type { Deps, StoreClasses } from '../operations/operation.ts';
import type { StreamChange } from '../operations/stream/relay-outbox.ts';
import { followingFrom, type Item, type Origins } from '../store/table/table-client.ts';
import { logger, type Runtime, runtime, withStores } from './runtime.ts';

/**
 * Makes the Lambda of a consumer of messages. When a message fails or does not match the declaration's schema, the
 * Lambda reports only this message of the batch as failed, and logs the reason. The queue delivers a failed message
 * again, and finally moves it to the dead-letter queue.
 *
 * @param stores the repositories that `handle` uses, under their names in its deps
 * @param handle handles one message; the messages of a batch are handled in parallel; an error returns the message to
 *   the queue
 * @param subjectOf returns the subject of a message. Pass it when one call of `handle` does all pending work of a
 *   subject: then one call handles all messages of a batch with the same subject
 * @example
 * export const handler = consumer(declaration, processTriggerStores, processTrigger);
 */
export function consumer<Message extends z.ZodMiniType, Classes extends StoreClasses>(
  declaration: Consumer<Message>,
  stores: Classes,
  handle: (message: z.infer<Message>, deps: Runtime & Deps<Classes>) => Promise<void>,
  subjectOf?: (message: z.infer<Message>) => string,
) {
  return queueConsumer(declaration, stores, (messages, deps) => {
    const running = new Map<unknown, Promise<void>>();
    const handleOnce = async ({ message, origin }: Received<z.infer<Message>>) => {
      const subject = subjectOf?.(message) ?? message;
      const call = running.get(subject) ?? followingFrom(originsOf([origin]), () => handle(message, deps));
      running.set(subject, call);
      await call;
    };
    return messages.map(handleOnce);
  });
}

/**
 * Makes the Lambda of a consumer that handles the messages of a batch together. Like {@link consumer}, it reports as
 * failed only the messages that fail.
 *
 * @param handle handles all messages; returns for each message, in their order, the error that it failed with
 */
export function batchConsumer<Message extends z.ZodMiniType, Classes extends StoreClasses>(
  declaration: Consumer<Message>,
  stores: Classes,
  handle: (messages: readonly z.infer<Message>[], deps: Runtime & Deps<Classes>) => Promise<readonly unknown[]>,
) {
  return queueConsumer(declaration, stores, (messages, deps) => {
    const errors = handle(
      messages.map(({ message }) => message),
      deps,
    );
    return messages.map(async (_, position) => {
      const error = (await errors)[position];
      if (error !== undefined) throw error;
    });
  });
}

/** A log without the context of Lambda, which would double the length of each line. */
const brief = once(() => new Logger());

/** A message of a batch, and what it is about. */
interface Received<Message> {
  readonly message: Message;
  readonly origin: Origin;
}

/**
 * Makes the Lambda of a consumer of messages. The log gets a line for each message: what it was about, how long it
 * took, and the error if it failed. A delivery gets no line, because each of its attempts has a line.
 *
 * @param handle begins the work for all messages, and returns a promise for each, in the order of the messages; a
 *   promise settles when the work for its message is done
 */
function queueConsumer<Message extends z.ZodMiniType, Classes extends StoreClasses>(
  declaration: Consumer<Message>,
  stores: Classes,
  handle: (
    messages: readonly Received<z.infer<Message>>[],
    deps: Runtime & Deps<Classes>,
  ) => readonly Promise<unknown>[],
) {
  const parse = parserOf(declaration);
  const deps = once(() => withStores(runtime(), stores));

  return async ({ Records }: SQSEvent, context?: Context): Promise<SQSBatchResponse> => {
    const log = logger();
    if (context) log.addContext(context);
    const startedAtMs = performance.now();
    const failed = new Set<string>();
    const conclude = (messageId: string, about: Partial<Origin>, problem?: { readonly error: unknown }) => {
      const durationMs = Math.round(performance.now() - startedAtMs);
      if (problem) {
        failed.add(messageId);
        log.error('message.failed', { messageId, ...about, durationMs, ...problem });
      } else if (about.subscriptionId === undefined) brief().info('message.handled', { ...about, durationMs });
    };
    const received = Records.flatMap(({ messageId, body }) => {
      try {
        return [{ messageId, message: parse(body), origin: originOf(body, messageId) }];
      } catch (error) {
        conclude(messageId, {}, { error });
        return [];
      }
    });
    const origins = originsOf(received.map(({ origin }) => origin));
    const running = received.length === 0 ? [] : followingFrom(origins, () => handle(received, deps()));
    await Promise.all(
      received.map(({ messageId, origin }, position) =>
        Promise.resolve(running[position]).then(
          () => conclude(messageId, origin),
          (error: unknown) => conclude(messageId, origin, { error }),
        ),
      ),
    );
    return { batchItemFailures: [...failed].map((itemIdentifier) => ({ itemIdentifier })) };
  };
}

/** What a message is about, for the log. */
interface Origin {
  /** The id of the request that the message follows from. If the message names no request, the message's own id. */
  readonly requestId: string;
  readonly event?: string | undefined;
  readonly eventId?: string | undefined;
  readonly entityId?: string | undefined;
  readonly transactionId?: number | undefined;
  readonly subscriptionId?: string | undefined;
}

const text = z.catch(z.optional(z.string()), undefined);
const about = { id: text, name: text, entityId: text, requestId: text };
const About = z.catch(z.optional(z.object(about)), undefined);
/** The body of a message: an event in the envelope of the bus, a delivery, or a task. */
const AboutBody = z.object({
  ...about,
  'detail-type': text,
  /** The kind of a task, and its transaction. */
  kind: text,
  transactionId: z.catch(z.optional(z.int()), undefined),
  detail: About,
  event: About,
  subscription: z.catch(z.optional(z.object({ subscriptionId: text })), undefined),
});

/** Finds what a message is about. Takes over only ids that have the form of the platform's own ids. */
function originOf(content: string, messageId: string): Origin {
  const { detail, subscription, event = detail, transactionId, ...body } = parseAbout(content);
  const { id, name = body['detail-type'] ?? body.kind, entityId, requestId } = event ?? body;
  const known = [requestId, body.requestId, id, body.id].find((each) => each !== undefined && isUuid(each));
  const { subscriptionId } = subscription ?? {};
  return {
    requestId: known ?? messageId,
    event: name,
    eventId: id ?? body.id,
    entityId,
    transactionId,
    subscriptionId,
  };
}

/** Parses the parts of a message that say what it is about. Text that is no JSON object has none of these parts. */
function parseAbout(content: string): z.infer<typeof AboutBody> {
  try {
    return AboutBody.parse(JSON.parse(content));
  } catch {
    return AboutBody.parse({});
  }
}

/**
 * The requests that the messages of a batch follow from. If there are several, a new event gets the request id of the
 * message that names the same entity.
 */
function originsOf(all: readonly Origin[]): Origins {
  const ids = new Set(all.map(({ requestId }) => requestId));
  const [only] = ids;
  return {
    byEntity: new Map(all.flatMap(({ entityId, requestId }) => (entityId ? [[entityId, requestId]] : []))),
    ...(ids.size === 1 && { otherwise: only }),
  };
}

/** Makes the function that parses the body of a message. @throws TypeError when the consumer declares no message */
function parserOf<Message extends z.ZodMiniType>({ name, source, message, readsText }: Consumer<Message>) {
  if (!message) throw new TypeError(`consumer ${name} declares no message`);
  return (body: string): z.infer<Message> => {
    if (readsText) return message.parse(body);
    const content = JSON.parse(body);
    return message.parse(source.kind === 'bus' ? Envelope.parse(content).detail : content);
  };
}

/** A rule of the bus puts the event into the queue with its envelope around it. */
const Envelope = z.object({ detail: z.unknown() });

/** Makes the Lambda of a consumer of the table's stream. A batch that fails is delivered again in two halves. */
export function streamConsumer<Classes extends StoreClasses>(
  stores: Classes,
  handle: (items: readonly Item[], deps: Runtime & Deps<Classes>) => Promise<void>,
) {
  const deps = once(() => withStores(runtime(), stores));
  return ({ Records }: DynamoDBStreamEvent, context?: Context): Promise<void> =>
    followingFrom(runOf(context), () => handle(Records.map(newItemOf), deps()));
}

/**
 * Handles the wanted changes of a batch in their order, and reports the first change that was not handled. The stream
 * then continues with this change.
 *
 * @param isWanted whether a change is wanted, decided from the item after and before the change. Deletions are never
 * wanted
 * @param handle returns how many changes at the beginning of the list it handled
 */
export async function handleChanges(
  { Records }: DynamoDBStreamEvent,
  isWanted: (after: Item, before: Item | undefined) => boolean,
  handle: (changes: readonly StreamChange[]) => Promise<number>,
): Promise<DynamoDBBatchResponse> {
  const changes = Records.filter(({ eventName }) => eventName !== 'REMOVE');
  const wanted = changes.filter((record) => isWanted(anyItemOf(record), oldItemOf(record))).map(changeOf);
  const handled = await handle(wanted);
  const itemIdentifier = wanted[handled]?.sequenceNumber;
  return { batchItemFailures: itemIdentifier === undefined ? [] : [{ itemIdentifier }] };
}

function changeOf(record: DynamoDBRecord): StreamChange {
  const { NewImage = {}, Keys, SequenceNumber } = record.dynamodb ?? {};
  return {
    item: anyItemOf(record),
    sequenceNumber: SequenceNumber,
    toInput: (attributes) => {
      const kept = Object.entries(NewImage).filter(([name]) => ['pk', 'sk', ...attributes].includes(name));
      return { Records: [{ ...record, dynamodb: { Keys, SequenceNumber, NewImage: Object.fromEntries(kept) } }] };
    },
  };
}

/** The item of a record of the table's stream after the change. */
function newItemOf({ dynamodb }: DynamoDBRecord): Item {
  return itemOf(dynamodb?.NewImage ?? {});
}

/** The item after the change. Rounds a number that JavaScript cannot hold: without `rounded`, such an item is unreadable. */
const anyItemOf = ({ dynamodb }: DynamoDBRecord) => itemOf(dynamodb?.NewImage ?? {}, rounded);

/** The item before the change; undefined for a new item. */
const oldItemOf = ({ dynamodb }: DynamoDBRecord) => dynamodb?.OldImage && itemOf(dynamodb.OldImage, rounded);

const rounded = { wrapNumbers: Number };

const itemOf = (image: object, options?: unmarshallOptions) =>
  unmarshall(image as Record<string, AttributeValue>, options) as Item;

/**
 * Makes the Lambda of a schedule. Its run is a request of its own: the events that it writes have the id of the run. When
 * `handle` fails, the Lambda fails and its alarm reports it.
 */
export function scheduleConsumer<Classes extends StoreClasses>(
  stores: Classes,
  handle: (deps: Runtime & Deps<Classes>) => Promise<void>,
) {
  const deps = once(() => withStores(runtime(), stores));
  return (_event?: unknown, context?: Context): Promise<void> => followingFrom(runOf(context), () => handle(deps()));
}

const runOf = (context: Context | undefined): Origins => ({ byEntity: new Map(), otherwise: context?.awsRequestId });
