import * as z from 'zod/mini';
import { maximumCharacters } from '../contracts/limits.ts';

/** Building blocks of request and reply schemas, each with the limits that docs/gaps.md sets. */

// biome-ignore lint/suspicious/noControlCharactersInRegex: naming the characters that text must not have
const controlCharacters = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;

/** Text: trimmed, 1 to 255 characters unless said, no control characters and no halves of characters. */
export const text = (maximum: number = maximumCharacters.text, minimum = 1) =>
  z.string().check(
    z.trim(),
    z.minLength(minimum),
    z.maxLength(maximum),
    z.refine((value: string) => !controlCharacters.test(value), {
      error: 'has control characters',
      params: { code: 'invalid_characters' },
    }),
    // JSON can say half a character, UTF-8 cannot: where they are kept, two texts would become one.
    z.refine((value: string) => value.isWellFormed(), {
      error: 'has half of a surrogate pair',
      params: { code: 'invalid_characters' },
    }),
  );

/**
 * A field of a body that need not be there. `null` means the same: many clients write what they have nothing
 * for in this way.
 */
export const optional = <Schema extends z.ZodMiniType>(schema: Schema) =>
  z.optional(
    z.pipe(
      z.nullable(schema),
      z.transform((value: z.output<Schema> | null) => value ?? undefined),
    ),
  );

/** An identifier of ours as an integer. */
export const id = z.int().check(z.gte(1));

/** A UUID, in any case: it is written in lower case and read as either (RFC 9562, 4). */
export const uuid = z.uuid().check(z.toLowerCase());

/** What stands for a UUID in a path, or for anything else: what is no id of its kind is not found. */
export const pathId = z.string().check(z.toLowerCase());

/** An instant: ISO 8601 with an offset. */
export const datetime = z.iso.datetime({ offset: true });

/** 1 for yes, 0 for no, as the specification writes booleans. */
export const flag = z.union([z.literal(0), z.literal(1)]);

/** An e-mail address. */
export const email = z.pipe(z.string().check(z.trim(), z.maxLength(maximumCharacters.email)), z.email());

/** A phone number in E.164 format. */
export const phoneNumber = z.string().check(z.regex(/^\+[1-9]\d{1,14}$/, { error: 'is not in E.164 format' }));
