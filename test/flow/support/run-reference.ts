/** Executes the examples of the API reference as its page does, unedited. */

type Schemes = Readonly<Record<string, unknown>>;
interface Media {
  readonly example?: unknown;
}
interface Operation {
  readonly operationId: string;
  readonly security: readonly Schemes[];
  readonly parameters?: readonly { readonly name?: string; readonly in?: string; readonly example?: string }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> };
}
type PathItem = Readonly<Record<string, Operation>> & { readonly servers: readonly { readonly url: string }[] };

/** What the page of the reference loads. */
export interface LivePage {
  readonly problem?: string;
  readonly document: { readonly paths: Readonly<Record<string, PathItem>> };
  readonly credentials: {
    readonly partnerKey: string;
    readonly userToken: string;
    readonly bearer: string;
    readonly client: { readonly id: string; readonly secret: string };
  };
}

/** Operations whose requests a program or a payment platform signs: the page cannot send them. */
const signed = new Set(['programSignature', 'paymentSignature']);

/** Executes all examples in the order of the page. Returns the status of each reply, with the body of a failure. */
export async function runReference({ document, credentials }: LivePage): Promise<string[]> {
  const results: string[] = [];
  for (const [path, { servers, ...methods }] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(methods as Readonly<Record<string, Operation>>)) {
      const schemes = operation.security.flatMap((one) => Object.keys(one));
      if (schemes.some((scheme) => signed.has(scheme))) continue;
      const response = await fetch(`${servers[0]?.url}${addressOf(path, operation)}`, {
        ...{ method, redirect: 'manual' },
        headers: { ...headersOf(schemes, credentials), ...contentTypeOf(operation) },
        body: bodyOf(operation),
      });
      const text = await response.text();
      const isDone = response.ok || response.status === 303;
      results.push(`${operation.operationId}: ${isDone ? 'done' : `${response.status} ${text.slice(0, 300)}`}`);
    }
  }
  return results;
}

function addressOf(path: string, { parameters = [] }: Operation): string {
  const textOf = (name: string) => encodeURIComponent(parameters.find((one) => one.name === name)?.example ?? '');
  const query = parameters.filter((one) => one.in === 'query' && one.example !== undefined);
  const address = path.replace(/;.*/, '').replace(/\{(\w+)\}/g, (_, name: string) => textOf(name));
  return query.length === 0
    ? address
    : `${address}?${query.map(({ name = '' }) => `${name}=${textOf(name)}`).join('&')}`;
}

/** The page fills in every credential that an operation can have. */
function headersOf(schemes: readonly string[], { client, ...keys }: LivePage['credentials']): Record<string, string> {
  const basic = Buffer.from(`${client.id}:${client.secret}`).toString('base64');
  const all: Readonly<Record<string, Record<string, string>>> = {
    partnerKey: { 'x-api-key': keys.partnerKey },
    userToken: { 'x-api-key': keys.userToken },
    bearer: { Authorization: `Bearer ${keys.bearer}` },
    client: { Authorization: `Basic ${basic}` },
  };
  return Object.assign({}, ...schemes.map((scheme) => all[scheme]));
}

const contentTypeOf = ({ requestBody }: Operation): Record<string, string> => {
  const [type] = Object.keys(requestBody?.content ?? {});
  return type === undefined ? {} : { 'content-type': type };
};

function bodyOf({ requestBody }: Operation): string | null {
  const [found] = Object.entries(requestBody?.content ?? {});
  if (!found) return null;
  const [type, { example }] = found;
  return type.endsWith('/json')
    ? JSON.stringify(example)
    : String(new URLSearchParams(example as Record<string, string>));
}
