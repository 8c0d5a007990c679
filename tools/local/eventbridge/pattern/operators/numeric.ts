import type { JsonNode } from '../../json-tree.ts';
import { InvalidEventPatternError } from '../invalid-event-pattern-error.ts';
import { comparableNumber } from './comparable-number.ts';
import type { Operator } from './operator.ts';

type Comparison = (value: number) => boolean;

const LOWER_BOUNDS = ['>', '>='];
const UPPER_BOUNDS = ['<', '<='];

/** `{ "numeric": [">", 0, "<=", 5] }`: equality, one bound, or a lower and then an upper bound. */
export const numeric: Operator = {
  name: 'numeric',
  compile(argument) {
    if (argument.kind !== 'array') throw new InvalidEventPatternError('Value of numeric must be an array.');
    const comparisons = readComparisons(argument.items);
    return {
      matches(value) {
        const number = value.kind === 'number' ? comparableNumber(value.text) : undefined;
        return number !== undefined && comparisons.every((holds) => holds(number));
      },
    };
  },
};

function readComparisons(items: readonly JsonNode[]): Comparison[] {
  const sign = readSign(items[0]);
  const bound = readBound(sign, items[1]);
  if (items.length === 2) return [comparison(sign, bound)];
  if (!LOWER_BOUNDS.includes(sign)) throw new InvalidEventPatternError('Too many elements in numeric expression');

  const upperSign = readSign(items[2]);
  if (!UPPER_BOUNDS.includes(upperSign)) {
    throw new InvalidEventPatternError(`Bad numeric range operator: ${upperSign}`);
  }
  const upper = readBound(upperSign, items[3]);
  if (items.length > 4) throw new InvalidEventPatternError('Too many terms in numeric range expression');
  if (bound >= upper) throw new InvalidEventPatternError('Bottom must be less than top');
  return [comparison(sign, bound), comparison(upperSign, upper)];
}

function readSign(node: JsonNode | undefined): string {
  if (node?.kind !== 'string') {
    throw new InvalidEventPatternError('Invalid member in numeric match: an operator is required');
  }
  return node.value;
}

function readBound(sign: string, node: JsonNode | undefined): number {
  comparison(sign, 0); // an unknown operator is reported before its operand
  if (node?.kind !== 'number') {
    throw new InvalidEventPatternError(`Value of ${sign === '=' ? 'equals' : sign} must be numeric`);
  }
  const bound = comparableNumber(node.text);
  if (bound === undefined) throw new InvalidEventPatternError(`Cannot compare number : ${node.text}`);
  return bound;
}

function comparison(sign: string, bound: number): Comparison {
  switch (sign) {
    case '=':
      return (value) => value === bound;
    case '<':
      return (value) => value < bound;
    case '<=':
      return (value) => value <= bound;
    case '>':
      return (value) => value > bound;
    case '>=':
      return (value) => value >= bound;
    default:
      throw new InvalidEventPatternError(`Unrecognized numeric range operator: ${sign}`);
  }
}
