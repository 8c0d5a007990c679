import { defineConsumer, syntheticSecret } from '../../../shared/contracts/consumer.ts';

export const consumer = defineConsumer({
  name: 'synthetic-purchase',
  source: { kind: 'schedule', every: 'rate(5 minutes)' },
  impact: 'No test purchase is made: a failure of all purchases is noticed only when members or merchants report it.',
  // Long enough for a purchase in which every request lasts until its deadline. So the function can still report that
  // the platform is too slow.
  timeoutSeconds: 120,
  access: { table: {} },
  readsSecret: syntheticSecret,
});
