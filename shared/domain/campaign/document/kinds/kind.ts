import * as z from 'zod/mini';
import { maximumCharacters, maximumCount } from '../../../../contracts/limits.ts';
import type { Facts, FlowTrigger } from '../facts.ts';

/** One fault of a campaign document, in words for the person who writes it. */
export interface CampaignFault {
  /** JSON Pointer into the document (RFC 6901). */
  readonly pointer: string;
  readonly code: string;
  /** What is wrong and what to do. */
  readonly message: string;
}

/** Builds a fault. */
export const fault = (pointer: string, code: string, message: string): CampaignFault => ({ pointer, code, message });

/** The fault in a list when something is wrong, otherwise an empty list. */
export const faultIf = (isWrong: boolean, found: CampaignFault): CampaignFault[] => (isWrong ? [found] : []);

/** A campaign type with its article, as in "An EARN campaign". */
export const withArticle = (type: CampaignType): string => (type === 'EARN' ? `An ${type}` : `A ${type}`);

/** What the rules need to know about the partnership that a campaign runs under. */
export interface CampaignSettings {
  readonly allowsCashback: boolean;
  /** The partner, whose program the points belong to. */
  readonly partnerId: number;
  /** The partners that the merchant has a partnership with. Its campaigns may move their points. */
  readonly programs: ReadonlySet<number>;
  /** The triggers of the partnership, active or not. */
  readonly triggers: readonly KnownTrigger[];
}

/** A trigger of a partnership, as far as flows depend on it. */
export interface KnownTrigger {
  readonly customTriggerId: number;
  readonly name: string;
  readonly event: 'CUSTOM' | 'REFERRAL';
  readonly isActive: boolean;
}

/** What the rules for one part of a flow depend on. */
export interface PartContext {
  readonly type: CampaignType;
  readonly trigger: FlowTrigger;
  readonly settings: CampaignSettings;
  /** JSON Pointer of the part. */
  readonly at: string;
}

/** Whether the flow rewards a purchase: only then is money spent. */
export const isPurchase = ({ type, trigger }: Pick<PartContext, 'type' | 'trigger'>): boolean =>
  type !== 'TRANSFER' && trigger.type === 'SPEND';

/** The event of a flow in a message, as in "Nothing is bought at REGISTRATION". */
export const eventInWords = ({ type, trigger }: Pick<PartContext, 'type' | 'trigger'>): string =>
  type === 'TRANSFER' ? 'by a transfer' : `at ${trigger.type}`;

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

/** A value that a condition found or needs. */
type Observed = number | string | string[] | null;

/** What a condition found. */
export interface Finding {
  holds: boolean;
  /** What is the case; null when it is not known. */
  actual: Observed;
}

/** What a stored decision contains about a condition. */
export interface JudgedCondition {
  readonly operator: string;
  readonly holds: boolean;
  readonly needed: Observed;
}

/** The phrases of a condition for an explanation, already in words. */
interface Phrases {
  readonly operator: string;
  /** What the condition needs, with its unit. */
  readonly needed: string;
  /** The name of the attribute, where the condition has one. */
  readonly name: string | undefined;
}

/** What a kind of condition does. `Part` is the condition without its id and owner. */
interface ConditionTraits<Part> {
  /** What its amounts count; null when it compares texts. */
  readonly unit: Unit | null;
  /** The amount or the texts that the condition compares with. */
  needed(condition: Part): number | readonly string[];
  /** Compares the condition with the facts. */
  find(condition: Part, facts: Facts): Finding;
  /** Whether the condition holds for what a refund leaves, judged by the stored decision alone. */
  holdsAfterRefund(judged: JudgedCondition, netCents: number): boolean;
  /** The condition as a clause: "condition 3, that …, held". */
  words(phrases: Phrases): string;
  /** What is wrong with a condition that its schema accepts. */
  faults(condition: Part, context: PartContext): CampaignFault[];
}

/** Any kind of condition, as evaluation, views and explanations use it. */
export interface ConditionKind extends Kind, ConditionTraits<AnyPart> {}

/** Declares a kind of condition on an attribute. */
export function defineCondition<const Name extends string, Fields extends z.core.$ZodShape>(
  kind: Kind<Name> & ConditionTraits<z.infer<z.ZodMiniObject<Fields>>> & { readonly fields: Fields },
) {
  return { ...kind, schema: z.strictObject({ ...part, attribute: z.literal(kind.name), ...kind.fields }) };
}

/** Whether an amount is more, or less, than a bound. An unknown amount is neither. */
export function compare(actual: number | null, operator: 'GREATER_THAN' | 'LESS_THAN', bound: number): Finding {
  const holds = actual !== null && (operator === 'GREATER_THAN' ? actual > bound : actual < bound);
  return { holds, actual };
}

/** The words for an operator that compares amounts. */
export const moreOrLess = (operator: string): string => (operator === 'GREATER_THAN' ? 'more than' : 'less than');

/** For conditions that no refund can change: they hold as they did. */
export const holdsAsBefore = ({ holds }: JudgedCondition): boolean => holds;

/** For kinds whose schema finds every fault. */
export const noFaults = (): CampaignFault[] => [];
