import { mkdir, writeFile } from 'node:fs/promises';
import { schemaFiles } from './generator.ts';

/** `npm run client`: writes the types that a test compares with the contracts. */
const files = await schemaFiles();
await mkdir(new URL('src/schema/', import.meta.url), { recursive: true });
await Promise.all(files.map(({ file, text }) => writeFile(file, text)));
