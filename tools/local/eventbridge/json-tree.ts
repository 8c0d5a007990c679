/**
 * A JSON value as it was written: entries in order with duplicates kept, numbers in their own spelling.
 *
 * `JSON.parse` keeps the last of two equal keys and turns `3.018e2` into `301.8`; event patterns and events are defined
 * on the text, so both must survive.
 */
export type JsonNode =
  | { readonly kind: 'object'; readonly entries: readonly JsonEntry[] }
  | { readonly kind: 'array'; readonly items: readonly JsonNode[] }
  | { readonly kind: 'string'; readonly value: string }
  | { readonly kind: 'number'; readonly text: string }
  | { readonly kind: 'literal'; readonly text: 'true' | 'false' | 'null' };

type JsonEntry = readonly [name: string, value: JsonNode];

const TOKEN = /[{}[\]:,]|"(?:[^"\\]|\\.)*"|[^\s{}[\]:,"]+/g;

/**
 * Reads JSON text into a tree.
 *
 * @throws SyntaxError where `JSON.parse` throws it
 */
export function readJson(text: string): JsonNode {
  // The built-in parser is the judge of well-formedness; what follows may therefore assume it.
  JSON.parse(text);
  return readValue(new TokenReader(text.match(TOKEN) ?? []));
}

/**
 * The tree of a value that JSON can carry, without its text being written first. Each level is made when
 * somebody looks at it.
 */
export function jsonNodeOf(value: unknown): JsonNode {
  switch (typeof value) {
    case 'string':
      return { kind: 'string', value };
    case 'number':
      return { kind: 'number', text: JSON.stringify(value) };
    case 'boolean':
      return { kind: 'literal', text: `${value}` };
    case 'object':
      return value === null ? { kind: 'literal', text: 'null' } : compositeOf(value);
    default:
      throw new TypeError(`JSON has no ${typeof value}`);
  }
}

function compositeOf(value: object): JsonNode {
  if (Array.isArray(value)) {
    return {
      kind: 'array',
      get items() {
        return value.map(jsonNodeOf);
      },
    };
  }
  return {
    kind: 'object',
    get entries() {
      const present = Object.entries(value).filter(([, part]) => part !== undefined);
      return present.map(([name, part]): JsonEntry => [name, jsonNodeOf(part)]);
    },
  };
}

/** Writes a tree as JSON text, numbers spelled as they were read. */
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
  if (token.startsWith('"')) return { kind: 'string', value: JSON.parse(token) as string };
  if (token === 'true' || token === 'false' || token === 'null') return { kind: 'literal', text: token };
  return { kind: 'number', text: token };
}

function readEntry(tokens: TokenReader): JsonEntry {
  const name = JSON.parse(tokens.take()) as string;
  tokens.take(); // the colon
  return [name, readValue(tokens)];
}

function readList<T>(tokens: TokenReader, end: string, readItem: (tokens: TokenReader) => T): T[] {
  const items: T[] = [];
  while (tokens.peek() !== end) {
    items.push(readItem(tokens));
    if (tokens.peek() === ',') tokens.take();
  }
  tokens.take(); // the end
  return items;
}
