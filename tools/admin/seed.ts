import { readConfig } from '../../shared/runtime/config.ts';
import { composePlatform } from '../../shared/runtime/platform.ts';
import { makeShowcase } from './demo/showcase.ts';

/** Fills the table that the environment names with the demonstration's world, and prints its credentials as JSON. */
process.stdout.write(`${JSON.stringify(await makeShowcase(composePlatform(readConfig(process.env))))}\n`);
