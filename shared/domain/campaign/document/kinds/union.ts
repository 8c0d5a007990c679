import * as z from 'zod/mini';

/** Joins the schemas of some kinds into one union. The field tells the kinds apart. */
export function unionOf<Described extends { readonly schema: z.core.$ZodTypeDiscriminable }, Field extends string>(
  field: Field,
  kinds: readonly Described[],
) {
  const [first, ...more] = kinds.map(({ schema }): Described['schema'] => schema);
  if (!first) throw new RangeError(`A union by ${field} needs at least one kind`);
  return z.discriminatedUnion(field, [first, ...more]);
}
