import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
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
import { once } from '../domain/memoize.ts';
import type { Deps, StoreClasses } from '../operations/operation.ts';
import type { Item } from '../store/table/table-client.ts';
import { logger, type Runtime, runtime, withStores } from './runtime.ts';

/**
 * Makes the Lambda of a consumer of messages. Reports as failed only the messages of a batch that fail or do not match
 * the declaration's schema. The queue delivers a failed message again, and finally moves it to the dead-letter queue.
 * The log contains the reason.
 *
 * @param stores the repositories that `handle` uses, under their names in its deps
 * @param handle handles one message; the messages of a batch are handled in parallel; an error returns the message to
 *   the queue
 * @param subjectOf returns the subject of a message. Pass it when one call of `handle` does all pending work of a
 *   subject: then one call handles all messages of a batch with the same subject
 * @example
 * export const handler = consumer(declaration, processOrderStores, processOrder);
 */
export function consumer<Message extends z.ZodMiniType, Classes extends StoreClasses>(
  declaration: Consumer<Message>,
  stores: Classes,
  handle: (message: z.infer<Message>, deps: Runtime & Deps<Classes>) => Promise<void>,
  subjectOf?: (message: z.infer<Message>) => string,
) {
  return batchConsumer(declaration, stores, (messages, deps) => {
    const running = new Map<unknown, Promise<void>>();
    const handleOnce = async (message: z.infer<Message>) => {
      const subject = subjectOf?.(message) ?? message;
      const call = running.get(subject) ?? handle(message, deps);
      running.set(subject, call);
      await call;
    };
    return Promise.all(
      messages.map((message) =>
        handleOnce(message).then(
          () => undefined,
          (error: unknown) => error,
        ),
      ),
    );
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
  const parse = parserOf(declaration);
  const deps = once(() => withStores(runtime(), stores));

  return async ({ Records }: SQSEvent, context?: Context): Promise<SQSBatchResponse> => {
    const log = logger();
    if (context) log.addContext(context);
    const failed = new Map<string, unknown>();
    const parsed = Records.flatMap(({ messageId, body }) => {
      try {
        return [{ messageId, message: parse(body) }];
      } catch (error) {
        failed.set(messageId, error);
        return [];
      }
    });
    const messages = parsed.map(({ message }) => message);
    const errors = await handle(messages, deps()).catch((error: unknown) => messages.map(() => error));
    for (const [position, { messageId }] of parsed.entries()) {
      if (errors[position] !== undefined) failed.set(messageId, errors[position]);
    }
    for (const [messageId, error] of failed) log.error('message.failed', { messageId, error });
    return { batchItemFailures: [...failed.keys()].map((itemIdentifier) => ({ itemIdentifier })) };
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
  return async ({ Records }: DynamoDBStreamEvent): Promise<void> => handle(Records.map(newItemOf), deps());
}

/**
 * Handles the wanted items of a batch in their order, and reports the first item that was not handled. The stream then
 * continues with this item.
 *
 * @param isWanted whether a change is wanted, decided from the item after and before the change. Deletions are never
 * wanted
 * @param handle returns how many items, from the first on, it handled
 */
export async function handleChanges(
  { Records }: DynamoDBStreamEvent,
  isWanted: (after: Item, before: Item | undefined) => boolean,
  handle: (items: readonly Item[]) => Promise<number>,
): Promise<DynamoDBBatchResponse> {
  const changes = Records.filter(({ eventName }) => eventName !== 'REMOVE');
  const wanted = changes.filter((record) => isWanted(newItemOf(record), oldItemOf(record)));
  const handled = await handle(wanted.map(newItemOf));
  const itemIdentifier = wanted[handled]?.dynamodb?.SequenceNumber;
  return { batchItemFailures: itemIdentifier === undefined ? [] : [{ itemIdentifier }] };
}

/** The item of a record of the table's stream after the change. */
function newItemOf({ dynamodb }: DynamoDBRecord): Item {
  return itemOf(dynamodb?.NewImage ?? {});
}

/** The item before the change; undefined for a new item. */
const oldItemOf = ({ dynamodb }: DynamoDBRecord) => dynamodb?.OldImage && itemOf(dynamodb.OldImage);

const itemOf = (image: object) => unmarshall(image as Record<string, AttributeValue>) as Item;

/** Makes the Lambda of a schedule. When `handle` fails, the Lambda fails and its alarm reports it. */
export function scheduleConsumer<Classes extends StoreClasses>(
  stores: Classes,
  handle: (deps: Runtime & Deps<Classes>) => Promise<void>,
) {
  const deps = once(() => withStores(runtime(), stores));
  return (): Promise<void> => handle(deps());
}
