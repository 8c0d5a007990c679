import { mkdir, writeFile } from 'node:fs/promises';
import { generateSchemaFiles } from './generator.ts';

/** `npm run client`: writes the generated types. A test fails when they differ from the contracts. */
const files = await generateSchemaFiles();
await mkdir(new URL('src/schema/', import.meta.url), { recursive: true });
await Promise.all(files.map(({ file, text }) => writeFile(file, text)));
