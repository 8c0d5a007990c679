import { BatchProcessor, EventType, processPartialResponse } from '@aws-lambda-powertools/batch';
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type {
  Context,
  DynamoDBBatchResponse,
  DynamoDBRecord,
  DynamoDBStreamEvent,
  SQSBatchResponse,
  SQSEvent,
  SQSRecord,
} from 'aws-lambda';
import * as z from 'zod/mini';
import type { Consumer } from '../contracts/consumer.ts';
import { once } from '../domain/memoize.ts';
import type { Deps, StoreClasses } from '../operations/operation.ts';
import type { Item } from '../store/table/table-client.ts';
import { logger, type Runtime, runtime, withStores } from './runtime.ts';

/**
 * Makes the Lambda of a consumer of messages. A message that fails, or does not match the declaration's
 * schema, is reported alone. The queue delivers it again, and moves it to the dead-letter queue in the end. The log
 * contains the reason.
 *
 * @param stores the repositories that `handle` uses, by the names that it finds them by in its deps
 * @param handle handles one message, at the same time as the others of its batch; an error returns the message to the queue
 * @param subjectOf the subject of a message, when `handle` does everything that there is to do for it: messages of one
 * batch with the same subject are handled by one call
 * @example
 * export const handler = consumer(declaration, processOrderStores, processOrder);
 */
export function consumer<Message extends z.ZodMiniType, Classes extends StoreClasses>(
  { name, source, message }: Consumer<Message>,
  stores: Classes,
  handle: (message: z.infer<Message>, deps: Runtime & Deps<Classes>) => Promise<void>,
  subjectOf?: (message: z.infer<Message>) => string,
) {
  if (!message) throw new TypeError(`consumer ${name} declares no message`);
  const parse = (body: unknown) => message.parse(source.kind === 'bus' ? Envelope.parse(body).detail : body);
  const deps = once(() => withStores(runtime(), stores));

  async function handleRecord({ messageId, body }: SQSRecord, running: Map<string, Promise<void>>): Promise<void> {
    try {
      const parsed = parse(JSON.parse(body));
      const subject = subjectOf?.(parsed) ?? messageId;
      const call = running.get(subject) ?? handle(parsed, deps());
      running.set(subject, call);
      await call;
    } catch (error) {
      logger().error('message.failed', { messageId, error });
      throw error;
    }
  }

  return async (event: SQSEvent, context?: Context): Promise<SQSBatchResponse> => {
    const log = logger();
    if (context) log.addContext(context);

    const processor = new BatchProcessor(EventType.SQS, { logger: log });
    const running = new Map<string, Promise<void>>();
    return processPartialResponse(event, (record: SQSRecord) => handleRecord(record, running), processor, {
      processInParallel: true,
      // When a whole batch throws, Lambda polls the queue more slowly, for good messages as well.
      throwOnFullBatchFailure: false,
    });
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
 * Handles the wanted items of a batch in their order, and reports the first one that was not handled. The stream then
 * continues with it.
 *
 * @param isWanted whether a change is wanted, by the item after it and before it. Deletions never are
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

/** The item before the change; undefined when it is new. */
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
