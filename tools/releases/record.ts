import { readdirSync, rmSync } from 'node:fs';
import packageJson from '../../package.json' with { type: 'json' };
import { readOptions, runCommand } from '../command.ts';
import { recordings } from './notes.ts';
import { recordRelease } from './release.ts';

const usage = `npm run record-release [-- --help]

Keeps the code of the working directory as the previous release, in place of the one before. Run it on the commit of a
release, after the version in package.json was raised.

  --help   prints this help`;

async function main(): Promise<undefined> {
  if (readOptions({ options: { help: { type: 'boolean', default: false } } }).values.help) {
    console.log(usage);
    return;
  }
  for (const name of readdirSync(recordings)) rmSync(`${recordings}/${name}`);
  console.log(`recorded ${await recordRelease(packageJson.version)}; commit it with the release`);
}

await runCommand(main);
