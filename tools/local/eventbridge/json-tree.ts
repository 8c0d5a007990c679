/**
 * A JSON value exactly as written: entries in order with duplicate names, numbers in their own spelling.
 *
 * Event patterns and events are defined on the text. `JSON.parse` would lose a part of the text: it keeps only the last
 * of two equal names and turns `3.018e2` into `301.8`.
 */
export type JsonNode = JsonObjectNode | JsonArrayNode | Scalar;

export interface JsonObjectNode {
  readonly kind: 'object';
  readonly entries: readonly JsonEntry[];
}

interface JsonArrayNode {
  readonly kind: 'array';
  readonly items: readonly JsonNode[];
}

export type Scalar =
  | { readonly kind: 'string'; readonly value: string }
  | { readonly kind: 'number'; readonly text: string }
  | { readonly kind: 'literal'; readonly text: 'true' | 'false' | 'null' };

type JsonEntry = readonly [name: string, value: JsonNode];

const tokenPattern = /[{}[\]:,]|"(?:[^"\\]|\\.)*"|[^\s{}[\]:,"]+/g;

/**
 * Reads JSON text into a tree.
 *
 * @throws SyntaxError where `JSON.parse` throws it
 */
export function readJson(text: string): JsonNode {
  // The built-in parser checks that the text is well-formed. The reader below relies on that.
  JSON.parse(text);
  return readValue(new TokenReader(text.match(tokenPattern) ?? []));
}

/** Returns the tree of a value that JSON can carry, without writing its text. Each level is built on first access. */
export function toJsonNode(value: unknown): JsonNode {
  switch (typeof value) {
    case 'string':
      return { kind: 'string', value };
    case 'number':
      return { kind: 'number', text: JSON.stringify(value) };
    case 'boolean':
      return { kind: 'literal', text: `${value}` };
    case 'object':
      return value === null ? { kind: 'literal', text: 'null' } : toCompositeNode(value);
    default:
      throw new TypeError(`JSON has no ${typeof value}`);
  }
}

function toCompositeNode(value: object): JsonNode {
  if (Array.isArray(value)) {
    return {
      kind: 'array',
      get items() {
        return value.map(toJsonNode);
      },
    };
  }
  return {
    kind: 'object',
    get entries() {
      const present = Object.entries(value).filter(([, part]) => part !== undefined);
      return present.map(([name, part]): JsonEntry => [name, toJsonNode(part)]);
    },
  };
}

/** Writes a tree as JSON text. Numbers keep their spelling. */
export function writeJson(node: JsonNode): string {
  switch (node.kind) {
    case 'object':
      return `{${node.entries.map(([name, value]) => `${JSON.stringify(name)}:${writeJson(value)}`).join(',')}}`;
    case 'array':
      return `[${node.items.map(writeJson).join(',')}]`;
    case 'string':
      return JSON.stringify(node.value);
    default:
      return node.text;
  }
}

/**
 * Returns the value at a path such as `$.detail.items[0]['line-total']`, or undefined when there is none.
 *
 * @throws SyntaxError when the path has another form, for example a filter or a wildcard: AWS refuses them too
 */
export function valueAtPath(root: JsonNode, path: string): JsonNode | undefined {
  return parseJsonPath(path).reduce<JsonNode | undefined>(childOf, root);
}

/** Whether {@link valueAtPath} accepts the path. */
export function isJsonPath(text: string): boolean {
  try {
    parseJsonPath(text);
    return true;
  } catch {
    return false;
  }
}

const stepPattern = /\.([^.[\]]+)|\[(\d+)\]|\['([^']*)'\]/y;

function parseJsonPath(path: string): (string | number)[] {
  if (!path.startsWith('$')) throw new SyntaxError(`Path must start with $: ${path}`);
  const steps: (string | number)[] = [];
  stepPattern.lastIndex = 1;
  while (stepPattern.lastIndex < path.length) {
    const match = stepPattern.exec(path);
    if (!match) throw new SyntaxError(`Path is not valid: ${path}`);
    const [, name, index, quoted] = match;
    steps.push(index === undefined ? (name ?? quoted ?? '') : Number(index));
  }
  return steps;
}

function childOf(node: JsonNode | undefined, step: string | number): JsonNode | undefined {
  if (node?.kind === 'object') return node.entries.findLast(([name]) => name === step)?.[1];
  if (node?.kind === 'array' && typeof step === 'number') return node.items[step];
  return undefined;
}

class TokenReader {
  readonly #tokens: readonly string[];
  #next = 0;

  constructor(tokens: readonly string[]) {
    this.#tokens = tokens;
  }

  peek(): string {
    return this.#tokens[this.#next] ?? '';
  }

  take(): string {
    const token = this.peek();
    this.#next += 1;
    return token;
  }
}

function readValue(tokens: TokenReader): JsonNode {
  const token = tokens.take();
  if (token === '{') return { kind: 'object', entries: readList(tokens, '}', readEntry) };
  if (token === '[') return { kind: 'array', items: readList(tokens, ']', readValue) };
  if (token.startsWith('"')) return { kind: 'string', value: JSON.parse(token) };
  if (token === 'true' || token === 'false' || token === 'null') return { kind: 'literal', text: token };
  return { kind: 'number', text: token };
}

function readEntry(tokens: TokenReader): JsonEntry {
  const name: string = JSON.parse(tokens.take());
  tokens.take(); // the colon
  return [name, readValue(tokens)];
}

function readList<T>(tokens: TokenReader, end: string, readItem: (tokens: TokenReader) => T): T[] {
  const items: T[] = [];
  while (tokens.peek() !== end) {
    items.push(readItem(tokens));
    if (tokens.peek() === ',') tokens.take();
  }
  tokens.take(); // the closing bracket
  return items;
}
