import { readdirSync, rmSync } from 'node:fs';
import packageJson from '../../package.json' with { type: 'json' };
import { recordings, recordRelease } from './release.ts';

/**
 * `npm run record-release`: keeps the code of the working directory as the previous release. Run it on the commit of a
 * release, after the version in package.json was raised.
 */
for (const name of readdirSync(recordings)) rmSync(`${recordings}/${name}`);
console.log(`recorded ${await recordRelease(packageJson.version)}; commit it with the release`);
