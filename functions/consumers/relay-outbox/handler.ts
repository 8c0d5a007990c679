import type { DynamoDBStreamEvent } from 'aws-lambda';
import { once } from '../../../shared/domain/memoize.ts';
import { relayOutbox } from '../../../shared/operations/relay-outbox.ts';
import { handleInserts } from '../../../shared/runtime/consumer.ts';
import { openBus } from '../../../shared/runtime/ports.ts';
import { logger, readConfig } from '../../../shared/runtime/runtime.ts';

const deps = once(() => ({ bus: openBus(readConfig(process.env)), log: logger() }));

/** Publishes the events of the outbox in the order of the stream. */
export const handler = (stream: DynamoDBStreamEvent) => handleInserts(stream, (items) => relayOutbox(items, deps()));
