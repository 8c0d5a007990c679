import * as z from 'zod/v4/mini';

/**
 * Replaces `zod/mini` in the Lambda bundles (tools/build/bundle.ts). Schemas never change, so every field that is any text,
 * any whole number or any boolean can have the same one. A function loads hundreds of such fields: one instance of each
 * saves a third of the schemas, and with them a tenth of the import time.
 */
export * from 'zod/v4/mini';

/** Schemas of one kind that differ in nothing. */
const shared = <Schema>(make: (params?: never) => Schema) => {
  const common = make();
  return (params?: never): Schema => (params === undefined ? common : make(params));
};

/** Schemas around another schema: one around each. */
const around = <Schema extends object>(make: (inner: never, params?: never) => Schema) => {
  const known = new WeakMap<object, Schema>();
  return (inner: never, params?: never): Schema => {
    if (params !== undefined) return make(inner, params);
    const schema = known.get(inner) ?? make(inner);
    known.set(inner, schema);
    return schema;
  };
};

export const string = shared(z.string);
export const int = shared(z.int);
export const boolean = shared(z.boolean);
export const optional = around(z.optional);
export const nullable = around(z.nullable);
export const array = around(z.array);
