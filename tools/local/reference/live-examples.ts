import { randomUUID } from 'node:crypto';
import { firstReward, hostFolders } from '../../build/docs/postman-folders.ts';

/**
 * Examples that work as they are: for each operation of the API reference, values of the running platform. Requests of
 * the Postman collection make what the examples need, such as a customer with a linked account and a token that can still
 * be spent.
 */

type Values = Readonly<Record<string, string>>;
type JsonObject = { readonly [name: string]: unknown };

/** A request of the collection, or a folder. `{{name}}` is a variable. */
interface CollectionItem {
  readonly name: string;
  readonly item?: readonly CollectionItem[];
  readonly request?: CollectionRequest;
}

/** The steps of the collection's requests, in their order. */
const steps = [...firstReward.steps, ...Object.values(hostFolders).flat()];

type Sendable = CollectionItem & { readonly request: CollectionRequest };

interface CollectionRequest {
  readonly method: string;
  readonly auth: JsonObject & { readonly type: string };
  readonly header: readonly { readonly key: string; readonly value: string }[];
  readonly url: { readonly raw: string; readonly query?: readonly QueryPart[]; readonly variable?: readonly Pair[] };
  readonly body?: { readonly raw?: string; readonly urlencoded?: readonly Pair[] };
}
type Pair = { readonly key: string; readonly value: string };
type QueryPart = Pair & { readonly disabled?: boolean };

export interface Collection {
  readonly item: readonly CollectionItem[];
}

/** The values with which an operation works as it is. */
export interface LiveExample {
  /** By the name of a path or query parameter. */
  readonly parameters: Values;
  readonly body?: JsonObject;
}

export interface LiveExamples {
  /** By the id of an operation. Operations that need a signature have no example. */
  readonly examples: ReadonlyMap<string, LiveExample>;
  /** The member's token and the bearer token that the examples belong to. */
  readonly userToken: string;
  readonly bearer: string;
}

/** The subscriptions of the examples. The demonstration seldom announces these events. */
const events = { read: 'campaign_ended', commit: 'campaign_updated', subscribe: 'order_rejected' };

/**
 * Makes examples. Each call makes new ones, so that examples which were used up work again.
 *
 * @param environment the values of the Postman environment
 * @throws Error when a reply has another status than the collection expects
 */
export async function makeLiveExamples(collection: Collection, environment: Values): Promise<LiveExamples> {
  const player = new Player(collection);
  const newCustomer = () => player.play(['Open an account', 'createConnectToken'], { ...environment, ...identity() });
  const link = ['linkAccount', 'issueToken: the code'];
  // A transaction shows the UUID of its member.
  const buy = [...link, 'authenticateTransaction', 'createTransaction', 'baseGetTransaction'];

  const [opened, leaving, ordering] = await Promise.all([newCustomer(), newCustomer(), newCustomer()]);
  const [connecting, submitting] = await Promise.all([newCustomer(), newCustomer()]);
  // Each example that ends something has a customer of its own: so they work in any order, and beside each other.
  const [customer, unlinking, ordered] = await Promise.all([
    player.play([...buy, 'issueToken: a bearer', 'createOrder'], opened),
    player.play(buy, leaving),
    player.play(link, ordering),
  ]);
  for (const event of Object.values(events)) await player.end(event, customer);
  const committing = await player.play(['subscribeWebhook', 'rotateSalt'], customer, { event_name: events.commit });
  const reading = await player.play(['subscribeWebhook', 'testWebhook', 'startReplay'], customer, {
    event_name: events.read,
  });
  const creating = await player.play(['authenticateTransaction'], { ...customer, run: `${customer.run}-b` });
  const revoking = await player.play(['issueToken: a bearer'], customer);

  const own: Readonly<Record<string, Values>> = {
    ...{ getConnect: connecting, linkAccount: connecting, showConnectPage: submitting, submitConnectPage: submitting },
    ...{ unlinkAccount: unlinking, createTransaction: creating, commitSalt: committing, revokeToken: revoking },
    authenticateTransaction: { ...customer, run: `${customer.run}-c` },
    createOrder: ordered,
  };
  const fields: Readonly<Record<string, JsonObject>> = {
    subscribeWebhook: { event_name: events.subscribe },
    updateWebhook: { event_name: events.read },
  };
  const examples = player.operations().map((operation) => {
    const values = own[operation] ?? reading;
    return [operation, player.exampleOf(operation, values, fields[operation])] as const;
  });
  return { examples: new Map(examples), userToken: customer.user_token ?? '', bearer: customer.bearer_token ?? '' };
}

/** A new customer of the merchant, with an account at the program of the demonstration. */
function identity(): Values {
  const run = randomUUID().slice(0, 13);
  return { run, customer_id: `reference-${run}`, member_id: `REFERENCE-${run}`, proof: '246802' };
}

/** Sends requests of the collection. */
class Player {
  readonly #items: readonly CollectionItem[];

  constructor({ item }: Collection) {
    this.#items = item.flatMap((folder) => folder.item ?? []);
  }

  /** The ids of the operations that need no signature. */
  operations(): string[] {
    const names = this.#items
      .filter(({ name, request }) => !/refused|^Open an/.test(name) && request)
      .map(({ name }) => name.split(':')[0] ?? '');
    return [...new Set(names)];
  }

  /** Sends some requests one after the other. Returns the values with those that the replies contain. */
  async play(names: readonly string[], values: Values, fields: JsonObject = {}): Promise<Values> {
    let known = values;
    for (const name of names) known = await this.#step(this.#find(name), known, fields);
    return known;
  }

  /** Ends the subscription to an event, if there is one. */
  async end(event_name: string, values: Values): Promise<void> {
    const ending = this.#find('updateWebhook: an empty');
    const reply = await this.#send(ending, values, { event_name });
    if (reply.status !== 404 || !reply.text.includes('event_not_exists')) requireStatus(ending, reply, 200);
  }

  exampleOf(operation: string, values: Values, fields: JsonObject = {}): LiveExample {
    const { request } = this.#find(operation);
    const { url, body } = requestOf(request, values);
    return { parameters: url.parameters, ...(body && { body: { ...body, ...fields } }) };
  }

  /** The request with a name: the whole name, else its beginning. */
  #find(name: string): Sendable {
    const found =
      this.#items.find((one) => one.name === name) ??
      this.#items.find((one) => one.name.startsWith(name === 'issueToken' ? `${name}: a bearer` : name));
    if (!found?.request) throw new Error(`the collection has no request ${name}`);
    return { ...found, request: found.request };
  }

  async #step(item: Sendable, values: Values, fields: JsonObject): Promise<Values> {
    const { status = 200, captures = {} } =
      steps.find(({ name, operation }) => (name ?? operation) === item.name) ?? {};
    const reply = await this.#send(item, values, fields);
    requireStatus(item, reply, status);
    const found = Object.entries(captures).map(([variable, place]) => [
      variable,
      String(valueAt(JSON.parse(reply.text), place)),
    ]);
    return { ...values, ...Object.fromEntries(found) };
  }

  async #send({ request }: Sendable, values: Values, fields: JsonObject): Promise<Reply> {
    const { url, headers, body } = requestOf(request, values);
    const content = body && { ...body, ...(Object.keys(body).includes('event_name') && fields) };
    const response = await fetch(url.address, {
      method: request.method,
      headers,
      ...(content && {
        body: request.body?.raw === undefined ? new URLSearchParams(content as Values) : JSON.stringify(content),
      }),
      redirect: 'manual',
    });
    return { status: response.status, text: await response.text() };
  }
}

interface Reply {
  readonly status: number;
  readonly text: string;
}

function requireStatus({ name }: Sendable, { status, text }: Reply, expected: number): void {
  if (status !== expected) throw new Error(`${name} replies ${status}: ${text.slice(0, 300)}`);
}

function requestOf(request: CollectionRequest, values: Values) {
  const fill = (text: string) =>
    text.replace(/\{\{(\$?\w+)\}\}/g, (_, name: string) => (name === '$guid' ? randomUUID() : (values[name] ?? '')));
  const parameters = Object.fromEntries((request.url.variable ?? []).map(({ key, value }) => [key, fill(value)]));
  const query = (request.url.query ?? []).filter(({ disabled }) => !disabled);
  const queries = query.map(({ key, value }) => [key, fill(value)] as const);
  const path = fill(request.url.raw.split('?')[0] ?? '').replace(
    /\/:(\w+)/g,
    (_, name: string) => `/${parameters[name]}`,
  );
  const { raw, urlencoded } = request.body ?? {};
  const form = urlencoded && Object.fromEntries(urlencoded.map(({ key, value }) => [key, fill(value)]));
  const body: JsonObject | undefined = raw === undefined ? form : JSON.parse(fill(raw));
  const search = query.length === 0 ? '' : `?${new URLSearchParams(Object.fromEntries(queries))}`;
  return {
    url: {
      address: `${path}${search}`,
      parameters: { ...parameters, ...Object.fromEntries(queries) },
    },
    headers: {
      ...Object.fromEntries(request.header.map(({ key, value }) => [key, fill(value)])),
      ...authorizationOf(request.auth, fill),
    },
    body,
  };
}

function authorizationOf(auth: CollectionRequest['auth'], fill: (text: string) => string): Values {
  const parts = (auth[auth.type] ?? []) as readonly Pair[];
  const {
    value = '',
    token = '',
    username = '',
    password = '',
  } = Object.fromEntries(parts.map((part) => [part.key, fill(part.value)]));
  if (auth.type === 'apikey') return { 'x-api-key': value };
  if (auth.type === 'bearer') return { Authorization: `Bearer ${token}` };
  if (auth.type === 'basic')
    return { Authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` };
  return {};
}

/** The value at a place such as `data.reward_transactions[0].id`. */
const valueAt = (content: unknown, place: string): unknown =>
  place
    .split(/[.[\]]+/)
    .filter(Boolean)
    .reduce<unknown>((part, name) => (part as JsonObject | undefined)?.[name], content);
