import { readFile } from 'node:fs/promises';
import { type Collection, type LiveExample, type LiveExamples, makeLiveExamples } from './live-examples.ts';

/** The credentials that the page fills in. Without the demonstration, there are none. */
interface ReferenceCredentials {
  readonly partnerKey?: string | undefined;
  readonly userToken?: string | undefined;
  readonly bearer?: string | undefined;
  readonly client?: { readonly id: string; readonly secret: string } | undefined;
}

/** An environment of Postman: the values of the collection's variables. */
export interface PostmanEnvironment {
  readonly name: string;
  readonly values: readonly { readonly key: string; readonly value: string; readonly enabled: true }[];
}

/** What the page is made for: a platform, and what its caller may do. */
export interface LivePageOptions {
  /** Base URL of each host. */
  readonly hosts: Readonly<Record<string, string>>;
  readonly credentials: ReferenceCredentials;
  /** The environment of Postman that fills the variables of the collection. */
  readonly environment: PostmanEnvironment;
}

/** The generated files that the page shows and offers. */
const apiFolder = new URL('../../../docs/api/', import.meta.url);
export const collectionFile = new URL('rewards-platform.postman_collection.json', apiFolder);

type Operation = {
  readonly operationId: string;
  readonly tags?: readonly string[];
  readonly security: readonly object[];
  readonly parameters?: readonly { readonly name?: string }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, MediaType>> };
};
interface MediaType {
  readonly schema: { readonly properties?: Readonly<Record<string, object>> };
  readonly example?: unknown;
}
type Document = { readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>> };

/** Reads the joined document, with the addresses of this platform. The tag of an operation is its host. */
export async function readDocument(hosts: LivePageOptions['hosts']): Promise<Document> {
  const document: Document = JSON.parse(await readFile(new URL('openapi.json', apiFolder), 'utf8'));
  const paths = Object.entries(document.paths).map(([path, item]) => {
    const host = Object.values(item).find(({ tags }) => tags)?.tags?.[0] ?? '';
    return [path, { ...item, servers: [{ url: hosts[host], description: 'This platform' }] }];
  });
  return { ...document, paths: Object.fromEntries(paths) };
}

/** What the page shows: the document with examples that work as they are, and the credentials that belong to them. */
export async function makeLivePage({ hosts, credentials, environment }: LivePageOptions) {
  const { paths, ...rest } = await readDocument(hosts);
  // Swagger UI does not fill the parameters of a path with a fragment. The page removes what replaces the `#`.
  const renamed = Object.entries(paths).map(([path, item]) => [path.replace('#', ';'), item] as const);
  const document: Document = { ...rest, paths: Object.fromEntries(renamed) };
  if (credentials.partnerKey === undefined) return { hosts, document, credentials };
  try {
    const collection: Collection = JSON.parse(await readFile(collectionFile, 'utf8'));
    const values = Object.fromEntries(environment.values.map(({ key, value }) => [key, value]));
    const { examples, userToken, bearer } = await makeLiveExamples(collection, values);
    return { hosts, document: withExamples(document, examples), credentials: { ...credentials, userToken, bearer } };
  } catch (error) {
    return { hosts, document, credentials, problem: `There are no live examples: ${(error as Error).message}` };
  }
}

function withExamples(document: Document, examples: LiveExamples['examples']): Document {
  const paths = Object.entries(document.paths).map(([path, item]) => {
    const methods = Object.entries(item).map(([method, operation]) => {
      const example = examples.get(operation.operationId);
      return [method, example ? withExample(operation, example) : operation];
    });
    return [path, Object.fromEntries(methods)];
  });
  return { ...document, paths: Object.fromEntries(paths) };
}

function withExample(operation: Operation, { parameters, body }: LiveExample): Operation {
  const content = Object.entries(operation.requestBody?.content ?? {}).map(([type, media]) => {
    return [type, type.endsWith('/json') ? { ...media, example: body } : withFormExample(media, body)];
  });
  return {
    ...operation,
    // The page would send the credentials of all alternatives.
    security: operation.security.slice(0, 1),
    ...(operation.parameters && {
      parameters: operation.parameters.map((one) =>
        one.name !== undefined && one.name in parameters ? { ...one, example: parameters[one.name] } : one,
      ),
    }),
    ...(operation.requestBody && { requestBody: { ...operation.requestBody, content: Object.fromEntries(content) } }),
  };
}

/** Swagger UI fills a form with the examples of its fields. */
function withFormExample(media: MediaType, body: LiveExample['body'] = {}): MediaType {
  const properties = Object.entries(media.schema.properties ?? {}).map(([name, field]) => [
    name,
    name in body ? { ...field, example: body[name] } : field,
  ]);
  return { ...media, example: body, schema: { ...media.schema, properties: Object.fromEntries(properties) } };
}
