import * as z from 'zod/mini';
import { maximumCharacters, maximumCount } from '../../../../contracts/limits.ts';

/**
 * A kind describes one sort of campaign part: how it is written, what it does, and how people and partners see it.
 * Schemas, wire codes, explanations, help and views are made from the kinds; registry.ts lists them.
 */
export interface Kind<Name extends string = string> {
  /** The word for the kind in campaign files. */
  readonly name: Name;
  /** The number for the kind on the wire (docs/gaps.md). Never give a number to another kind: partners store them. */
  readonly code: number;
  /** Parts of the kind as people write them. The help of campaign files shows them all. */
  readonly examples: readonly [Example, ...Example[]];
}

/** A part in a campaign file, without id and owner, and what the help says about it. */
interface Example {
  readonly part: Readonly<Record<string, unknown>>;
  readonly note: string;
}

/** What a campaign does with points. Its flows and goals depend on it. */
export const campaignTypes = ['EARN', 'REDEEM', 'CONNECT_ONLY', 'TRANSFER'] as const;
export type CampaignType = (typeof campaignTypes)[number];

/** What an amount counts. Views show cents as dollars and all else as it is. */
export type Unit = 'cents' | 'days' | 'events' | 'points';

/** The fields of every part: action, condition, multiplier, limit or goal. */
export const part = {
  /** Unique in its campaign and the same in every version, because the use of a limit is counted by it. */
  id: z.int(),
  /** The organisation that owns the part. The other side cannot change it. */
  ownerId: z.int(),
};

/** A name of an attribute, as the merchant or the event reports it. */
export const attributeName = z.string().check(z.minLength(1), z.maxLength(maximumCharacters.text));

/** Texts to compare an attribute with. */
export const texts = z.array(attributeName).check(z.minLength(1), z.maxLength(maximumCount.listedValues));

/** Whether a value has to be among others, or must not be. */
export const membership = z.enum(['IS_IN', 'IS_NOT_IN']);

/** Whether an amount has to be more or less than another. Equal is neither. */
export const comparison = z.enum(['GREATER_THAN', 'LESS_THAN']);

/** Any part as its kind receives it: the discriminating field names the kind whose schema parsed it. */
export type AnyPart = Readonly<Record<string, unknown>>;

/** The schemas of some kinds as one, told apart by a field. */
export function unionOf<Described extends { readonly schema: z.core.$ZodTypeDiscriminable }, Field extends string>(
  field: Field,
  kinds: readonly Described[],
) {
  const [first, ...more] = kinds.map(({ schema }): Described['schema'] => schema);
  if (!first) throw new RangeError(`There is no kind to tell apart by its ${field}`);
  return z.discriminatedUnion(field, [first, ...more]);
}

/**
 * Makes a lookup of kinds by their names.
 *
 * @throws RangeError when the lookup is asked for a name that no kind has
 */
export function kindsByName<Named extends Kind>(kinds: readonly Named[]): (name: string) => Named {
  const byName = new Map(kinds.map((kind) => [kind.name, kind]));
  return (name) => {
    const kind = byName.get(name);
    if (!kind) throw new RangeError(`There is no kind ${name}; there are ${[...byName.keys()].join(', ')}`);
    return kind;
  };
}
