import type { DynamoDBStreamEvent } from 'aws-lambda';
import { relayOutbox } from '../../../shared/operations/relay-outbox.ts';
import { openBus } from '../../../shared/runtime/clients.ts';
import { readConfig } from '../../../shared/runtime/config.ts';
import { logger } from '../../../shared/runtime/log.ts';
import { once } from '../../../shared/runtime/once.ts';
import { handleInserts } from '../../../shared/runtime/stream-consumer.ts';

const deps = once(() => ({ bus: openBus(readConfig(process.env)), log: logger() }));

/** Publishes the events of the outbox in the order of the stream. */
export const handler = (stream: DynamoDBStreamEvent) => handleInserts(stream, (items) => relayOutbox(items, deps()));
