import * as z from 'zod/mini';
import { maximumCharacters, maximumCount } from '../../../../contracts/limits.ts';
import type { RegisteredAttribute, StatusTier } from '../../../registry/registry.ts';
import type { EventFacts, FlowTrigger, PurchasedItem } from '../facts.ts';
import type { AnyPart, CampaignType, Kind } from './base.ts';
import type { KindForm } from './form.ts';
import type { Phrase } from './phrase.ts';

export { type AnyPart, type CampaignType, campaignTypes, type Kind } from './base.ts';

/** One fault of a campaign document, in words for the person who writes it. */
export interface CampaignFault {
  /** JSON Pointer into the document (RFC 6901). */
  readonly pointer: string;
  readonly code: string;
  /** The fault, and how to correct it. */
  readonly message: string;
}

/** Builds a fault. */
export const fault = (pointer: string, code: string, message: string): CampaignFault => ({ pointer, code, message });

/** Returns a list with the fault if `isWrong`, otherwise an empty list. */
export const faultIf = (isWrong: boolean, found: CampaignFault): CampaignFault[] => (isWrong ? [found] : []);

/** A campaign type with its article, as in "An EARN campaign". */
export const withArticle = (type: CampaignType): string => (type === 'EARN' ? `An ${type}` : `A ${type}`);

/** Those settings of a campaign's partnership on which the rules depend. */
export interface CampaignSettings {
  readonly allowsCashback: boolean;
  /** The partner. The points belong to its program. */
  readonly partnerId: number;
  /**
   * The partners that the merchant has a partnership with. The merchant's campaigns may move the points of these
   * partners.
   */
  readonly programs: ReadonlySet<number>;
  /** The triggers of the partnership, active or not. */
  readonly triggers: readonly KnownTrigger[];
  /** The attributes of the merchant's registry. */
  readonly attributes: readonly RegisteredAttribute[];
  /** The status tiers of the partner's registry. */
  readonly tiers: readonly StatusTier[];
}

/** Those fields of a partnership's trigger on which flows depend. */
export interface KnownTrigger {
  readonly customTriggerId: number;
  readonly name: string;
  readonly event: 'CUSTOM' | 'REFERRAL';
  readonly isActive: boolean;
  /** The fields of the trigger's context: their types, and whether every event has them. */
  readonly contextSchema: {
    readonly fields: Readonly<Record<string, { readonly type: string; readonly isRequired: boolean }>>;
  };
}

/** The data that the rules for one part of a flow depend on. */
export interface PartContext {
  readonly type: CampaignType;
  readonly trigger: FlowTrigger;
  readonly settings: CampaignSettings;
  /** JSON Pointer of the part. */
  readonly at: string;
}

/** Whether the flow rewards a purchase. No other event spends money. */
export const isPurchase = ({ type, trigger }: Pick<PartContext, 'type' | 'trigger'>): boolean =>
  type !== 'TRANSFER' && trigger.type === 'SPEND';

/** The words for the event of a flow in a message, as `at REGISTRATION` in "Nothing is bought at REGISTRATION". */
export const eventInWords = ({ type, trigger }: Pick<PartContext, 'type' | 'trigger'>): string =>
  type === 'TRANSFER' ? 'by a transfer' : `at ${trigger.type}`;

/**
 * Whether campaigns of a type take points from members. In such a campaign, only the first flow that can pay takes the
 * points. Each flow has one action that takes points.
 */
export const takesPoints = (type: CampaignType): boolean => type === 'REDEEM' || type === 'TRANSFER';

/** The unit of an amount; `none` for a plain number. Views show cents as dollars, and convert nothing else. */
export type Unit = 'cents' | 'days' | 'events' | 'points' | 'none';

/** The fields of every part: action, condition, multiplier, limit or goal. */
export const part = {
  /** Unique in its campaign and the same in every version, because it identifies the counter of a limit. */
  id: z.int(),
  /** The organisation that owns the part. The other side cannot change it. */
  ownerId: z.int(),
};

/** A name of an attribute, as the merchant or the event reports it. */
export const attributeName = z.string().check(z.minLength(1), z.maxLength(maximumCharacters.text));

/** Texts to compare an attribute with. */
export const texts = z.array(attributeName).check(z.minLength(1), z.maxLength(maximumCount.listedValues));

/** Status tiers to compare a member's tier with. */
export const statusTierIds = z.array(z.int()).check(z.minLength(1), z.maxLength(maximumCount.listedValues));

/**
 * The entries of registries that a part refers to. `attribute` holds the part's `name` and `values`. `tierIds` holds
 * the part's `statusTierIds`.
 */
export interface RegistryReference {
  readonly attribute?: { readonly name: string; readonly values: readonly string[] };
  readonly tierIds?: readonly number[];
}

/** Whether a value must, or must not, be one of the listed values. */
export const membership = z.enum(['IS_IN', 'IS_NOT_IN']);

/** Whether an amount has to be more or less than the bound. An equal amount is neither. */
export const comparison = z.enum(['GREATER_THAN', 'LESS_THAN']);

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

/** The result of a condition for some facts. */
export interface Finding {
  holds: boolean;
  /** The actual value; null when it is unknown. */
  actual: Observed;
}

/** The result of a condition in a stored decision. */
export interface JudgedCondition {
  readonly operator: string;
  readonly holds: boolean;
  readonly needed: Observed;
}

/** The values of a condition as words. */
interface Phrases {
  readonly operator: string;
  /** The value that the condition compares with and its unit, or the listed values: `A, B or C`. */
  readonly needed: Phrase;
  /** The name of the attribute; empty where the condition has none. */
  readonly name: Phrase;
}

/** The behaviour of a kind of condition. `Part` is the condition without its id and owner. */
interface ConditionTraits<Part> {
  /** The unit of the amounts; null when the condition compares texts. */
  readonly unit: Unit | null;
  /** Whose facts the condition compares. Only callers who may read members see the facts of a member. */
  readonly observes: 'member' | 'event';
  /** The amount or the texts that the condition compares with. */
  needed(condition: Part): number | readonly string[];
  /** Compares the condition with the facts. */
  find(condition: Part, facts: EventFacts): Finding;
  /**
   * Whether the condition chooses an item of the purchase. Only kinds that choose items have this function. A flow with
   * such a condition rewards only the chosen items.
   */
  chooses?(condition: Part, item: PurchasedItem): boolean;
  /** The entries of registries to which the condition refers; absent for kinds without such references. */
  refersTo?(condition: Part): RegistryReference;
  /** Whether the condition holds for the amount after a refund. Depends on the stored decision only. */
  holdsAfterRefund(judged: JudgedCondition, netCents: number): boolean;
  /** A listed text as people read it; by default the text itself. */
  valueInWords?(value: string): string;
  /** The condition as a clause that follows "that" or "if", such as "the member lives in US". */
  words(phrases: Phrases): Phrase;
  /** Finds faults that the schema cannot find. */
  faults(condition: Part, context: PartContext): CampaignFault[];
}

/** Any kind of condition, as evaluation, views and explanations use it. */
export interface ConditionKind extends Kind, ConditionTraits<AnyPart> {
  readonly form: KindForm;
}

/** The fields of a kind's parts, and their form. */
export interface Fillable<Fields> {
  readonly fields: Fields;
  readonly form: KindForm<Extract<keyof Fields, string>>;
}

/** Declares a kind of condition on an attribute. */
export function defineCondition<const Name extends string, Fields extends z.core.$ZodShape>(
  kind: Kind<Name> & ConditionTraits<z.infer<z.ZodMiniObject<Fields>>> & Fillable<Fields>,
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

/** For conditions that do not depend on the amount: a refund does not change their result. */
export const holdsAsBefore = ({ holds }: JudgedCondition): boolean => holds;

/** For kinds whose faults are all found by the schema. */
export const noFaults = (): CampaignFault[] => [];
