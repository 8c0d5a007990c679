import { composePlatform } from '../../shared/runtime/platform.ts';
import { readConfig } from '../../shared/runtime/runtime.ts';
import { connectDemoPayments } from './demo/payments.ts';
import { makeShowcase } from './demo/world.ts';

// Ends with the platform that runs this script: another one may have its ports a moment later.
process.channel?.unref();
process.once('disconnect', () => process.exit(1));

/** Creates the world of the demonstration in the table of the environment, and prints its credentials as JSON. */
const platform = composePlatform(readConfig(process.env));
const demo = await makeShowcase(platform);
process.stdout.write(`${JSON.stringify({ ...demo, payments: await connectDemoPayments(demo, platform) })}\n`);
