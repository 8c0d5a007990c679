import * as z from 'zod/mini';
import type { Facts } from '../facts.ts';
import type { CampaignFault, PartContext } from './fault.ts';
import { type AnyPart, type Kind, part, type Unit } from './kind.ts';

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
