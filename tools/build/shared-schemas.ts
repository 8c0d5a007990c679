import * as z from 'zod/v4/mini';

/**
 * Replaces `zod/mini` in the Lambda bundles (tools/build/bundle.ts). Schemas never change, so every field that is any text,
 * any whole number or any boolean can have the same one. A function loads hundreds of such fields: one instance of each
 * saves a third of the schemas, and with them a tenth of the import time.
 */
export * from 'zod/v4/mini';

const shared = <Schema>(make: (params?: never) => Schema) => {
  const common = make();
  return (params?: never): Schema => (params === undefined ? common : make(params));
};

export const string = shared(z.string);
export const int = shared(z.int);
export const boolean = shared(z.boolean);
