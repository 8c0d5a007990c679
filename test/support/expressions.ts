import { isDeepStrictEqual } from 'node:util';

/** Evaluates the expressions that shared/store/table/expressions.ts writes, for tables in memory. */

export type Item = Readonly<Record<string, unknown>>;

/** The fields that the inputs of all commands share. */
export interface Expressions {
  readonly ConditionExpression?: string;
  readonly UpdateExpression?: string;
  readonly KeyConditionExpression?: string;
  readonly FilterExpression?: string;
  readonly ExpressionAttributeNames?: Readonly<Record<string, string>>;
  readonly ExpressionAttributeValues?: Item;
}

/** Returns the value that a placeholder such as `:v0` stands for. For the placeholder of a name, see `attributeIn`. */
export const valueIn = ({ ExpressionAttributeValues = {} }: Expressions, name: string) =>
  ExpressionAttributeValues[name];
const attributeIn = (item: Item, { ExpressionAttributeNames = {} }: Expressions, name: string) =>
  item[ExpressionAttributeNames[name] ?? name];

type Test = (item: Item, input: Expressions) => boolean;

/** The forms of conditions. */
const forms: readonly (readonly [RegExp, (parts: string[]) => Test])[] = [
  [
    /^attribute_not_exists\((\S+)\)$/,
    ([name = '']) =>
      (item, input) =>
        attributeIn(item, input, name) === undefined,
  ],
  [
    /^attribute_exists\((\S+)\)$/,
    ([name = '']) =>
      (item, input) =>
        attributeIn(item, input, name) !== undefined,
  ],
  [
    /^\(attribute_not_exists\((\S+)\) OR \S+ <= (\S+)\)$/,
    ([name = '', value = '']) =>
      (item, input) => {
        const found = attributeIn(item, input, name);
        return found === undefined || compare(found, '<=', valueIn(input, value));
      },
  ],
  [
    /^\(attribute_not_exists\((\S+)\) OR (\S+) = (\S+)\)$/,
    ([present = '', name = '', value = '']) =>
      (item, input) =>
        attributeIn(item, input, present) === undefined ||
        compare(attributeIn(item, input, name), '=', valueIn(input, value)),
  ],
  [
    /^NOT contains\((\S+), (\S+)\)$/,
    ([name = '', value = '']) =>
      (item, input) => {
        const found = attributeIn(item, input, name);
        const members = found instanceof Set ? [...found] : Array.isArray(found) ? found : [];
        return !members.some((member) => isDeepStrictEqual(member, valueIn(input, value)));
      },
  ],
  [
    /^(\S+) IN \((.+)\)$/,
    ([name = '', values = '']) =>
      (item, input) =>
        values.split(', ').some((value) => isDeepStrictEqual(attributeIn(item, input, name), valueIn(input, value))),
  ],
  [
    /^(\S+) (=|<>|<|<=|>|>=) (\S+)$/,
    ([name = '', operator = '', value = '']) =>
      (item, input) =>
        compare(attributeIn(item, input, name), operator, valueIn(input, value)),
  ],
  [
    /^begins_with\((\S+), (\S+)\)$/,
    ([name = '', value = '']) =>
      (item, input) =>
        String(attributeIn(item, input, name)).startsWith(String(valueIn(input, value))),
  ],
  [
    /^(\S+) BETWEEN (\S+) AND (\S+)$/,
    ([name = '', first = '', last = '']) =>
      (item, input) => {
        const found = attributeIn(item, input, name);
        return compare(found, '>=', valueIn(input, first)) && compare(found, '<=', valueIn(input, last));
      },
  ],
];

/** The tests of conditions, by the texts of the conditions. */
const tests = new Map<string, Test>();

function testOf(text: string): Test {
  const known = tests.get(text);
  if (known) return known;
  for (const [form, make] of forms) {
    const found = form.exec(text);
    if (!found) continue;
    const test = make(found.slice(1));
    tests.set(text, test);
    return test;
  }
  throw new Error(`the memory table does not know the condition ${text}`);
}

/** Whether one condition holds. */
export const conditionHolds = (text: string, item: Item, input: Expressions): boolean => testOf(text)(item, input);

/** Whether the `ConditionExpression` of a write holds for the item before it. */
export function holds(item: Item | undefined, input: Expressions): boolean {
  const { ConditionExpression: text } = input;
  return text === undefined || text.split(' AND ').every((part) => conditionHolds(part, item ?? {}, input));
}

/** Whether the `FilterExpression` of a scan holds for an item. */
export function matches(item: Item, input: Expressions): boolean {
  const { FilterExpression: text } = input;
  return text === undefined || text.split(' OR ').some((part) => conditionHolds(part, item, input));
}

function compare(found: unknown, operator: string, value: unknown): boolean {
  if (operator === '=') return isDeepStrictEqual(found, value);
  if (operator === '<>') return !isDeepStrictEqual(found, value);
  if (typeof found !== typeof value || found === undefined) return false;
  const [one, other] = [found as string | number, value as string | number];
  if (one === other) return operator === '<=' || operator === '>=';
  return operator.startsWith(one < other ? '<' : '>');
}

const membersOf = (value: unknown): unknown[] => (value instanceof Set ? [...value] : []);

/** The effect of each clause of an update (`SET`, `ADD`, …) on an attribute. */
const changes: Readonly<Record<string, (before: unknown, given: unknown) => unknown>> = {
  SET: (_, given) => given,
  ADD: (before, given) =>
    given instanceof Set ? new Set([...membersOf(before), ...given]) : Number(before ?? 0) + Number(given),
  // DynamoDB stores no empty set: the attribute is removed.
  DELETE: (before, given) => {
    const taken = membersOf(given);
    const left = membersOf(before).filter((member) => !taken.includes(member));
    return left.length > 0 ? new Set(left) : undefined;
  },
  REMOVE: () => undefined,
};

/** Returns the item after an update. */
export function updated(before: Item, input: Expressions): Item {
  const after: Record<string, unknown> = { ...before };
  for (const clause of (input.UpdateExpression ?? '').split(/ (?=(?:ADD|DELETE|REMOVE) #)/)) {
    const [keyword = '', ...rest] = clause.split(' ');
    const change = changes[keyword];
    if (!change) throw new Error(`the memory table does not know the update ${clause}`);
    for (const part of rest.join(' ').split(', ')) {
      const [placeholder = '', value = ''] = part.split(keyword === 'SET' ? ' = ' : ' ');
      const name = input.ExpressionAttributeNames?.[placeholder] ?? placeholder;
      after[name] = change(after[name], valueIn(input, value));
    }
  }
  return after;
}
