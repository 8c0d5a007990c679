import { contracts } from '../../../functions/contracts.ts';
import { knownFieldsOf } from '../../../shared/http/unknown-fields.ts';

type Fields = ReturnType<typeof knownFieldsOf>;

/** The module that lists the field names of all endpoints: each function has the names, and not all schemas. */
export function fieldNamesModule(): string {
  const names = contracts.flatMap(({ body }) => (body ? namesIn(knownFieldsOf(body)) : []));
  const lines = [...new Set(names)].sort().map((name) => `  '${name}',\n`);
  return `/** The names of all fields in the bodies of all endpoints. Written by \`npm run docs\`. */\nexport const fieldNames: ReadonlySet<string> = new Set([\n${lines.join('')}]);\n`;
}

const namesIn = (fields: Fields): string[] => [...(fields ?? [])].flatMap(([name, inner]) => [name, ...namesIn(inner)]);
