import * as z from 'zod/mini';
import { described } from '../contracts/described.ts';
import {
  duration,
  maximumAmountCents,
  maximumBytes,
  maximumCharacters,
  maximumCount,
  validityMs,
} from '../contracts/limits.ts';
import { centsOfDollars } from '../domain/money.ts';

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that text must not contain
const controlCharacters = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;

/** Trimmed text without control characters and lone surrogates; 1 to 255 characters by default (docs/gaps.md). */
export const text = (maximum: number = maximumCharacters.text, minimum = 1) =>
  z.string().check(
    z.trim(),
    z.minLength(minimum),
    z.maxLength(maximum),
    z.refine((value: string) => !controlCharacters.test(value), {
      error: 'has control characters',
      params: { code: 'invalid_characters' },
    }),
    // JSON can contain a lone surrogate, UTF-8 cannot: two different texts would be stored as one.
    z.refine((value: string) => value.isWellFormed(), {
      error: 'has half of a surrogate pair',
      params: { code: 'invalid_characters' },
    }),
  );

/**
 * An optional field of a body. `null` counts as missing, because many clients send it for empty fields.
 */
export const optional = <Schema extends z.ZodMiniType>(schema: Schema) =>
  z.optional(
    z.pipe(
      z.nullable(schema),
      z.transform((value: z.output<Schema> | null) => value ?? undefined),
    ),
  );

/** One of our integer ids. */
export const id = z.int().check(z.gte(1));

export const partnerId = described('Id of the partner: the organisation of the loyalty program.', id);
export const merchantId = described('Id of the merchant.', id);
export const userId = described('Integer id of the user.', id);

/** A UUID. Upper case is accepted and becomes lower case (RFC 9562, 4). */
export const uuid = z.uuid().check(z.toLowerCase());

/** An id in a path. A malformed id passes this check, and the operation does not find it. */
export const pathId = z.string().check(z.toLowerCase());

/** An integer id in a path. Text that is no such id passes this check, and the operation does not find it. */
export const pathInteger = z.string();

/** The path parameters of the connect flow. */
export const connectTokenParams = z.object({
  connect_token: described(`Connect token: valid ${duration(validityMs.connectToken)}, for one link.`, z.string()),
});

/**
 * The fields of an object of which at least one is required, in groups. The schema's own checks refuse a request without
 * them; the documents are made from this list.
 */
export const requiredOneOf = z.registry<{ readonly groups: readonly (readonly string[])[] }>();

/** An instant: ISO 8601 with an offset. */
export const datetime = z.iso.datetime({ offset: true });

/** 1 for yes, 0 for no, as the specification writes booleans. */
export const flag = z.union([z.literal(0), z.literal(1)]);

export const isDeleted = described('1 deleted, 0 not deleted.', flag);

/** An e-mail address. */
export const email = z.pipe(z.string().check(z.trim(), z.maxLength(maximumCharacters.email)), z.email());

/** A phone number in E.164 format. */
export const phoneNumber = z.string().check(z.regex(/^\+[1-9]\d{1,14}$/, { error: 'is not in E.164 format' }));

/**
 * Checks an object whose fields others define: it has up to 10 levels, and every number can be stored. The depth is
 * measured level by level, because recursion would run out of stack on hostile input.
 */
export const openFields = z.superRefine<object>((value, context) => {
  const problem = problemOf(value);
  if (!problem) return;
  // Ends the checks: later ones write the value as text, which needs stack for each level.
  context.addIssue({ code: 'custom', message: problem.message, params: { code: problem.code }, continue: false });
});

/** A JSON object whose fields callers define: up to 10 levels deep and 32 KB large. */
export const jsonObject = z.record(z.string(), z.unknown()).check(
  openFields,
  z.refine((value) => Buffer.byteLength(JSON.stringify(value)) <= maximumBytes.jsonObject, {
    error: 'is larger than 32 KB',
    params: { code: 'too_big' },
  }),
);

function problemOf(value: object): { readonly code: string; readonly message: string } | undefined {
  let containers: object[] = [value];
  for (let depth = 1; containers.length > 0; depth += 1) {
    if (depth > maximumCount.jsonLevels) {
      return { code: 'too_deep', message: `is nested more than ${maximumCount.jsonLevels} levels deep` };
    }
    const inner: unknown[] = containers.flatMap((container) => Object.values(container));
    // 1e999 is valid JSON, but it parses to Infinity, which cannot be stored.
    if (inner.some((each) => typeof each === 'number' && !Number.isFinite(each))) {
      return { code: 'too_big', message: 'has a number that is too large' };
    }
    containers = inner.filter((each) => typeof each === 'object' && each !== null);
  }
  return undefined;
}

/**
 * The currency of a request's amounts: an optional code of ISO 4217, in capitals or small letters. Every partnership
 * counts in US dollars today, so an amount in another currency would be rewarded as if it were dollars.
 */
export const currency = described(
  'ISO 4217. Amounts are in US dollars, so every other currency is refused.',
  optional(
    z.pipe(
      z.string().check(z.toUpperCase()),
      z.literal('USD', {
        error: "is not the partnership's currency, US dollars: convert the amounts and send USD, or leave it out",
      }),
    ),
  ),
);

/** An amount of money as the specification writes it: dollars with at most two decimals. */
export const dollars = z.number().check(
  z.positive(),
  z.lte(maximumAmountCents / 100),
  z.refine((amount: number) => centsOfDollars(amount) !== undefined, {
    error: 'has more than two decimals',
    params: { code: 'too_precise' },
  }),
);
