import { contracts } from '../../../functions/contracts.ts';
import { joinedOpenApiOf, publishedEdition } from '../../../shared/http/openapi/document.ts';
import { postmanCollectionOf } from './postman.ts';

/** The files of docs/api, made from the contracts of all endpoints, by their path. */
export const apiFiles: Readonly<Record<string, () => string>> = {
  'docs/api/openapi.json': () => toText(joinedDocument(), 3),
  'docs/api/rewards-platform.postman_collection.json': () => toText(postmanCollectionOf(joinedDocument()), 5),
};

const joinedDocument = () => joinedOpenApiOf(contracts, publishedEdition);

const toText = (content: object, levels: number) => `${outline(content, levels)}\n`;

/** Writes JSON with line breaks in the outer levels only. So a change of one endpoint changes one line. */
function outline(value: unknown, levels: number): string {
  if (levels === 0 || typeof value !== 'object' || value === null) return JSON.stringify(value);
  const parts = Array.isArray(value)
    ? value.map((each) => outline(each, levels - 1))
    : Object.entries(value)
        .filter(([, each]) => each !== undefined)
        .map(([name, each]) => `${JSON.stringify(name)}: ${outline(each, levels - 1)}`);
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  return `${open}\n${parts.join(',\n')}\n${close}`;
}
