import * as z from 'zod/v4/mini';
import { memoizeObject } from '../../shared/domain/memoize.ts';

/**
 * Replaces `zod/mini` in the Lambda bundles (tools/build/bundle.ts). Schemas never change, so equal fields can have the
 * same one: any text, whole number or boolean, and what is optional, nullable or a list of the same schema. A function
 * loads hundreds of such fields, and building them is a tenth of its import time.
 */
export * from 'zod/v4/mini';

/** Schemas of one kind that differ in nothing. */
const shared = <Schema>(make: (params?: never) => Schema) => {
  const common = make();
  return (params?: never): Schema => (params === undefined ? common : make(params));
};

/** Schemas around another schema: one around each. */
const around = <Schema extends object>(make: (inner: never, params?: never) => Schema) => {
  const known = memoizeObject((inner: object) => make(inner as never));
  return (inner: never, params?: never): Schema => (params === undefined ? known(inner) : make(inner, params));
};

/** Checks with a bound: one for each bound. */
const bounded = <Bound, Check>(make: (bound: Bound, params?: never) => Check) => {
  const known = new Map<Bound, Check>();
  return (bound: Bound, params?: never): Check => {
    const found = params === undefined ? known.get(bound) : undefined;
    const check = found ?? make(bound, params);
    if (params === undefined) known.set(bound, check);
    return check;
  };
};

export const string = shared(z.string);
export const int = shared(z.int);
export const boolean = shared(z.boolean);
export const optional = around(z.optional);
export const nullable = around(z.nullable);
export const array = around(z.array);
export const gte = bounded(z.gte);
export const lte = bounded(z.lte);
export const minLength = bounded(z.minLength);
export const maxLength = bounded(z.maxLength);
