import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isObject, type Json } from '../../../shared/domain/campaign/document/tree.ts';

/** The campaign files of the repository: those of the demonstration, its templates, and those that the guides print. */

/** A campaign file, and where it is. */
export interface ExampleFile {
  readonly title: string;
  readonly file: Json;
}

const isCampaign = (value: unknown): value is Json => isObject(value) && Array.isArray(value.flows);

function filesIn(directory: string, extension: string): string[] {
  const names = readdirSync(directory, { recursive: true, encoding: 'utf8' });
  return names.filter((name) => name.endsWith(extension)).map((name) => join(directory, name));
}

const demonstration = filesIn('tools/admin/demo', '.json').map(
  (title): ExampleFile => ({ title, file: JSON.parse(readFileSync(title, 'utf8')) }),
);

/** The documents between the marks of a shell, such as `cat > earn.json << 'END'`. */
const printed = filesIn('docs', '.md').flatMap((title): ExampleFile[] => {
  const documents = readFileSync(title, 'utf8').matchAll(/<< 'END'\n(?<text>\{.*?\})\nEND\n/gs);
  return [...documents].map((one) => ({ title, file: JSON.parse(one.groups?.text ?? '') }));
});

export const exampleFiles: readonly ExampleFile[] = [...demonstration, ...printed].filter(({ file }) =>
  isCampaign(file),
);
