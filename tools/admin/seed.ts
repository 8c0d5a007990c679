import { composePlatform } from '../../shared/runtime/platform.ts';
import { readConfig } from '../../shared/runtime/runtime.ts';
import { makeShowcase } from './demo/world.ts';

/** Creates the world of the demonstration in the table of the environment, and prints its credentials as JSON. */
process.stdout.write(`${JSON.stringify(await makeShowcase(composePlatform(readConfig(process.env))))}\n`);
