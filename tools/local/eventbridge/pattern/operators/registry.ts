import { cidr } from './address.ts';
import { anythingBut } from './anything-but.ts';
import { exists } from './exists.ts';
import { numeric } from './numeric.ts';
import type { Operator } from './operator.ts';
import { equalsIgnoreCase, exactly, prefix, suffix } from './strings.ts';
import { wildcard } from './wildcard.ts';

/** Every comparison an event pattern may name. */
export const OPERATORS: ReadonlyMap<string, Operator> = new Map(
  [exactly, prefix, suffix, equalsIgnoreCase, wildcard, anythingBut, numeric, exists, cidr].map((operator) => [
    operator.name,
    operator,
  ]),
);
