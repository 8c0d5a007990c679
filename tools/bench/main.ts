import { benchCost } from './cost/bench.ts';
import { benchCounting } from './counting.ts';
import { benchEngine } from './engine/bench.ts';
import { benchMemory } from './memory/bench.ts';
import { benchPurchases } from './purchases/bench.ts';
import { benchScale } from './scale/bench.ts';
import { benchStartup } from './startup.ts';
import { benchWebhooks } from './webhooks/bench.ts';

/** `npm run bench <name>`: prints a table, writes bench/out/<name>.json, and fails on a broken promise. */
const benches: Readonly<Record<string, { readonly about: string; readonly run: () => Promise<void> }>> = {
  cost: {
    about: 'round trips and capacity units of every endpoint, and everything that a purchase costs',
    run: benchCost,
  },
  engine: { about: 'evaluations per second, beside json-rules-engine', run: benchEngine },
  purchases: {
    about: 'purchases per second through the local platform, beside DynamoDB Local alone',
    run: benchPurchases,
  },
  counting: { about: 'ledger entries per second that the totals take', run: benchCounting },
  webhooks: {
    about: 'speed and losses of webhook deliveries, beside bare Node and a plain queue consumer',
    run: benchWebhooks,
  },
  scale: { about: 'which limits of AWS a load meets, what to raise, and dollars a month', run: benchScale },
  memory: { about: 'memory of npm start at rest and with 32 clients, by process', run: benchMemory },
  startup: { about: 'size and import time of every bundle', run: benchStartup },
};

const name = process.argv[2];
const chosen = name === undefined ? undefined : benches[name];
if (chosen) {
  await chosen.run();
} else {
  if (name !== undefined) process.exitCode = 1;
  console.log('npm run bench <name>, where name is one of:');
  for (const [each, { about }] of Object.entries(benches)) console.log(`  ${each.padEnd(9)} ${about}`);
}
