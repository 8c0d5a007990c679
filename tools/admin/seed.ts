import { composePlatform } from '../../shared/runtime/platform.ts';
import { readConfig } from '../../shared/runtime/runtime.ts';
import { connectDemoPayments } from './demo/payments.ts';
import { makeShowcase } from './demo/world.ts';

/** Creates the world of the demonstration in the table of the environment, and prints its credentials as JSON. */
const platform = composePlatform(readConfig(process.env));
const demo = await makeShowcase(platform);
process.stdout.write(`${JSON.stringify({ ...demo, payments: await connectDemoPayments(demo, platform) })}\n`);
