import { contracts } from '../../../functions/contracts.ts';
import { joinedOpenApiOf, publishedEdition } from '../../../shared/http/openapi/document.ts';
import { postmanCollectionOf } from './postman.ts';

/** The files of docs/api, made from the contracts of all endpoints, by their path. */
export const apiFiles: Readonly<Record<string, () => string>> = {
  'docs/api/openapi.json': () => toText(joinedDocument()),
  'docs/api/rewards-platform.postman_collection.json': () => toText(postmanCollectionOf(joinedDocument())),
};

const joinedDocument = () => joinedOpenApiOf(contracts, publishedEdition);

/** One blank for each level keeps the files half as large as two do. */
const toText = (content: object) => `${JSON.stringify(content, null, 1)}\n`;
