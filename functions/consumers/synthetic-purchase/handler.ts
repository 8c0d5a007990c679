import { setTimeout as pause } from 'node:timers/promises';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { once } from '../../../shared/domain/memoize.ts';
import { makeSyntheticPurchase } from '../../../shared/operations/synthetic-purchase.ts';
import { SecretsManager } from '../../../shared/programs/secrets-manager.ts';
import { scheduleConsumer } from '../../../shared/runtime/consumer.ts';
import { measure } from '../../../shared/runtime/metrics.ts';
import { callHost } from '../../../shared/runtime/ports.ts';
import { awsClientSettings, runtime } from '../../../shared/runtime/runtime.ts';

const ports = once(() => {
  const { config, now } = runtime();
  const secrets = new SecretsManager(new DynamoDBClient(awsClientSettings()).config, config.secretsEndpoint, now);
  return { secrets, call: callHost, pause, memory: {} };
});

/** Every five minutes: makes a purchase for a test member, over the same endpoints that merchants call. */
export const handler = scheduleConsumer({}, async (deps) =>
  measure(await makeSyntheticPurchase({ ...deps, ...ports() })),
);
