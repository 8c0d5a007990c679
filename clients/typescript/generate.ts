import { mkdir, writeFile } from 'node:fs/promises';
import openapiTS, { astToString, COMMENT_HEADER } from 'openapi-typescript';
import { contracts } from '../../functions/contracts.ts';
import { type Host, hosts } from '../../shared/contracts/contract.ts';
import { type OpenApiDocument, openApiOf, publishedEdition } from '../../shared/http/openapi/document.ts';

/** `npm run client`: writes the generated types. A test fails when they differ from the contracts. */
if (import.meta.main) {
  const files = await generateSchemaFiles();
  await Promise.all(files.map(({ file }) => mkdir(new URL('./', file), { recursive: true })));
  await Promise.all(files.map(({ file, text }) => writeFile(file, text)));
}

/** Generates the types of each host from its OpenAPI document. */
export async function generateSchemaFiles(): Promise<{ readonly file: URL; readonly text: string }[]> {
  return Promise.all(
    hosts.map(async (host) => ({
      file: schemaFileOf(host),
      text: await generateSchema(openApiOf(host, contracts, publishedEdition(host))),
    })),
  );
}

function schemaFileOf(host: Host): URL {
  return new URL(`src/schema/${host}.ts`, import.meta.url);
}

async function generateSchema(document: OpenApiDocument): Promise<string> {
  const types = await openapiTS(JSON.stringify(document), { silent: true });
  return COMMENT_HEADER + astToString(types);
}
