import type { DynamoDBStreamEvent } from 'aws-lambda';
import { once } from '../../../shared/domain/memoize.ts';
import { addsEvents, relayOutbox } from '../../../shared/operations/stream/relay-outbox.ts';
import { handleChanges } from '../../../shared/runtime/consumer.ts';
import { openBus, openDeadLetters } from '../../../shared/runtime/ports.ts';
import { logger, readConfig } from '../../../shared/runtime/runtime.ts';

const deps = once(() => {
  const config = readConfig(process.env);
  // Opened only for an item that cannot be published: all other items do not need this queue.
  const deadLetters = once(() => openDeadLetters(config));
  const add = (body: string, reason: string) => deadLetters().add(body, reason);
  return { bus: openBus(config), deadLetters: { add }, log: logger() };
});

/** Publishes the events of new and changed items in the order of the stream. */
export const handler = (stream: DynamoDBStreamEvent) =>
  handleChanges(stream, addsEvents, (changes) => relayOutbox(changes, deps()));
