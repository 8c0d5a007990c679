import * as z from 'zod/mini';

/**
 * A schema with a description for the published documents. A description of a field stands where the field is declared,
 * as a literal text: the build removes it from every function that does not show it (tools/build/descriptions.ts).
 */
export function described<Schema extends z.ZodMiniType>(description: string, schema: Schema): Schema {
  return schema.check(z.describe(description));
}

/** The description of a schema; undefined without one. */
export function descriptionOf(schema: z.core.$ZodType | undefined): string | undefined {
  return schema && z.globalRegistry.get(schema)?.description;
}

/** The numbers that stand for words on the wire. */
export type Codes<Name extends string> = Readonly<Record<Name, number>>;

/** Codes with their words, for documentation: `1 ANY, 2 ALL`. */
export function describeCodes(codes: Codes<string>): string {
  return Object.entries(codes)
    .toSorted(([, one], [, other]) => one - other)
    .map(([word, number]) => `${number} ${word}`)
    .join(', ');
}
