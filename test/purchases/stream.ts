import type { Consumer } from '../../shared/contracts/consumer.ts';
import type { Change } from './memory-table.ts';

/** Applies the filters of stream consumers to changes of the table in memory, without records in DynamoDB's format. */

interface Pattern {
  readonly [name: string]: Pattern | readonly Rule[];
}
type Rule = string | { readonly prefix: string } | { readonly exists: boolean };
type Test = (value: unknown) => boolean;

/** Makes the test whether a consumer of the stream receives a change. */
export function streamFilterOf({ name, source }: Consumer): (change: Change) => boolean {
  if (source.kind !== 'stream') throw new Error(`${name} does not read the stream`);
  const tests = (source.filters as readonly Pattern[]).map(compile);
  return (change) => {
    const record = recordOf(change);
    return tests.some((test) => test(record));
  };
}

/** The parts of a stream record that filters read. */
function recordOf({ before, after }: Change) {
  const eventName = !before ? 'INSERT' : after ? 'MODIFY' : 'REMOVE';
  return { eventName, dynamodb: { Keys: after ?? before, NewImage: after, OldImage: before } };
}

const types = new Set(['S', 'N', 'M', 'BOOL']);

/** Filters name the type of each attribute of an item, such as `{ S: … }`. Plain values have no such level. */
function compile(pattern: Pattern | readonly Rule[]): Test {
  if (Array.isArray(pattern)) {
    const rules = (pattern as readonly Rule[]).map(compileRule);
    return (value) => rules.some((rule) => rule(value));
  }
  const tests = Object.entries(pattern as Pattern).map(([name, inner]): Test => {
    const test = compile(inner);
    return types.has(name) ? test : (value) => test((value as Record<string, unknown> | undefined)?.[name]);
  });
  return (value) => tests.every((test) => test(value));
}

function compileRule(rule: Rule): Test {
  if (typeof rule === 'string') return (value) => value === rule;
  if ('exists' in rule) return (value) => rule.exists === (value !== undefined);
  return (value) => typeof value === 'string' && value.startsWith(rule.prefix);
}
