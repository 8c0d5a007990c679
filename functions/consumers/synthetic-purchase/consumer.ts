import { defineConsumer, syntheticSecret } from '../../../shared/contracts/consumer.ts';

export const consumer = defineConsumer({
  name: 'synthetic-purchase',
  source: { kind: 'schedule', every: 'rate(5 minutes)' },
  impact: 'No test purchase is made: a failure of all purchases is noticed only when members or merchants report it.',
  // All requests of a purchase may take their longest time, so a slow platform is reported as a failure.
  timeoutSeconds: 120,
  access: { table: {} },
  readsSecret: syntheticSecret,
});
