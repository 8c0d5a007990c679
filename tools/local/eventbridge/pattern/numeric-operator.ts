import type { JsonNode } from '../json-tree.ts';
import { InvalidEventPatternError, type Operator, type ValueMatcher } from './matcher.ts';

type Comparison = (value: number) => boolean;

const lowerBounds = ['>', '>='];
const upperBounds = ['<', '<='];

/** `{ "numeric": [">", 0, "<=", 5] }`: equality, one bound, or a lower and then an upper bound. */
export const numeric: Operator = {
  name: 'numeric',
  compile(argument) {
    if (argument.kind !== 'array') throw new InvalidEventPatternError('Value of numeric must be an array.');
    const comparisons = readComparisons(argument.items);
    return {
      matches(value) {
        const number = value.kind === 'number' ? toComparableNumber(value.text) : undefined;
        return number !== undefined && comparisons.every((holds) => holds(number));
      },
    };
  },
};

/** Matches numbers of equal value. If a double cannot represent a number exactly, only the same spelling matches. */
export function matchNumber(expectedText: string): ValueMatcher {
  const expected = toComparableNumber(expectedText);
  return {
    matches(value) {
      if (value.kind !== 'number') return false;
      return value.text === expectedText || (expected !== undefined && toComparableNumber(value.text) === expected);
    },
  };
}

/** @throws InvalidEventPatternError when a double cannot hold the number exactly */
export function requireComparableNumber(text: string): number {
  const number = toComparableNumber(text);
  if (number === undefined) throw new InvalidEventPatternError(`Cannot compare number : ${text}`);
  return number;
}

/**
 * Returns the value of a JSON number, or undefined when a double cannot hold it exactly as written.
 *
 * EventBridge compares such a number (an 18-digit id, for example) by its text, because rounding makes different ids
 * equal.
 */
function toComparableNumber(text: string): number | undefined {
  const value = Number(text);
  return Number.isFinite(value) && normalizeDecimal(String(value)) === normalizeDecimal(text) ? value : undefined;
}

/** Gives equal decimals one spelling: "3.0e2", "300" and "300.00" all become "3e2". */
function normalizeDecimal(text: string): string {
  const [mantissa = '', exponent = '0'] = text.toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.replace('-', '').split('.');
  const digits = (whole + fraction).replace(/^0+/, '');
  const significant = digits.replace(/0+$/, '');
  if (significant === '') return '0';

  const scale = Number(exponent) - fraction.length + digits.length - significant.length;
  return `${text.startsWith('-') ? '-' : ''}${significant}e${scale}`;
}

function readComparisons(items: readonly JsonNode[]): Comparison[] {
  const sign = readSign(items[0]);
  const bound = readBound(sign, items[1]);
  if (items.length === 2) return [compareWith(sign, bound)];
  if (!lowerBounds.includes(sign)) throw new InvalidEventPatternError('Too many elements in numeric expression');

  const upperSign = readSign(items[2]);
  if (!upperBounds.includes(upperSign)) {
    throw new InvalidEventPatternError(`Bad numeric range operator: ${upperSign}`);
  }
  const upper = readBound(upperSign, items[3]);
  if (items.length > 4) throw new InvalidEventPatternError('Too many terms in numeric range expression');
  if (bound >= upper) throw new InvalidEventPatternError('Bottom must be less than top');
  return [compareWith(sign, bound), compareWith(upperSign, upper)];
}

function readSign(node: JsonNode | undefined): string {
  if (node?.kind !== 'string') {
    throw new InvalidEventPatternError('Invalid member in numeric match: an operator is required');
  }
  return node.value;
}

function readBound(sign: string, node: JsonNode | undefined): number {
  compareWith(sign, 0); // an unknown operator is reported before its operand
  if (node?.kind !== 'number') {
    throw new InvalidEventPatternError(`Value of ${sign === '=' ? 'equals' : sign} must be numeric`);
  }
  return requireComparableNumber(node.text);
}

function compareWith(sign: string, bound: number): Comparison {
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
