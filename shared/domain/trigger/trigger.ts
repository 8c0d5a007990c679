import * as z from 'zod/mini';
import { maximumCharacters } from '../../contracts/limits.ts';
import type { FlowTrigger } from '../campaign/document/facts.ts';
import { describeIssue, unworded } from '../issues.ts';

const isRequired = z._default(z.boolean(), false);
const bound = z._default(z.nullable(z.number()), null);
const bounds = { minimum: bound, maximum: bound };

/** One field of a context. */
const ContextField = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('string'),
    isRequired,
    maximumLength: z._default(z.int().check(z.gte(1), z.lte(maximumCharacters.contextText)), maximumCharacters.text),
  }),
  z.strictObject({ type: z.literal('number'), isRequired, ...bounds }),
  z.strictObject({ type: z.literal('integer'), isRequired, ...bounds }),
  z.strictObject({ type: z.literal('boolean'), isRequired }),
  /** ISO 8601 with an offset. */
  z.strictObject({ type: z.literal('datetime'), isRequired }),
]);
export type ContextField = z.infer<typeof ContextField>;

export const ContextSchema = z.strictObject({
  fields: z.record(z.string().check(z.minLength(1), z.maxLength(maximumCharacters.text)), ContextField),
  /** Whether other fields are allowed; they are stored unchanged. */
  allowsOtherFields: z._default(z.boolean(), false),
});
export type ContextSchema = z.infer<typeof ContextSchema>;

/** The data that a caller sends with an event. */
export type Context = Readonly<Record<string, unknown>>;

/** One fault of a context. */
export interface ContextFault {
  readonly field: string;
  readonly code: string;
  readonly message: string;
}

/** Returns every fault that a context has according to its schema, or an empty list. */
export function contextFaults({ fields, allowsOtherFields }: ContextSchema, context: Context): ContextFault[] {
  // Uses maps, because a field may have the name of an inherited property, such as `constructor`.
  const configured = new Map(Object.entries(fields));
  const given = new Map(Object.entries(context));

  const ofFields = [...configured].flatMap(([name, field]) =>
    given.has(name) ? valueFaults(name, field, given.get(name)) : absenceFaults(name, field),
  );
  const unknown = allowsOtherFields ? [] : [...given.keys()].filter((name) => !configured.has(name));
  return [
    ...ofFields,
    ...unknown.map((field) => ({ field, code: 'unrecognized_key', message: 'is not a field of the trigger' })),
  ];
}

function absenceFaults(name: string, field: ContextField): ContextFault[] {
  return field.isRequired ? [{ field: name, code: 'required', message: 'is required' }] : [];
}

function valueFaults(name: string, field: ContextField, value: unknown): ContextFault[] {
  const result = schemaOf(field).safeParse(value, { error: () => unworded });
  return (result.error?.issues ?? []).map((issue) => ({
    field: name,
    code: issue.code,
    message: describeIssue(issue),
  }));
}

function schemaOf(field: ContextField): z.ZodMiniType {
  switch (field.type) {
    case 'string':
      return z.string().check(z.maxLength(field.maximumLength));
    case 'number':
      return within(z.number(), field);
    case 'integer':
      return within(z.int(), field);
    case 'boolean':
      return z.boolean();
    case 'datetime':
      return z.iso.datetime({ offset: true });
  }
}

interface Bounds {
  readonly minimum: number | null;
  readonly maximum: number | null;
}

function within(schema: z.ZodMiniNumber, { minimum, maximum }: Bounds): z.ZodMiniNumber {
  return schema.check(z.gte(minimum ?? -Number.MAX_VALUE), z.lte(maximum ?? Number.MAX_VALUE));
}

/** What a trigger's events are: custom events, which flows refer to, or referrals, where the user brought a friend. */
export const triggerKinds = ['CUSTOM', 'REFERRAL'] as const;

/** A named event that both sides of a partnership may send, as operators configure it. */
export const Trigger = z.object({
  partnershipUuid: z.string(),
  name: z.string(),
  /** The id that flows of campaigns refer to. */
  customTriggerId: z.int(),
  description: z.nullable(z.string()),
  contextSchema: ContextSchema,
  event: z._default(z.enum(triggerKinds), 'CUSTOM'),
  /**
   * For referrals: the field of the context that names the friend whom the user brought. The field contains the
   * sender's own id of the friend, or the friend's UUID. All events of this trigger that name no friend count as one
   * referral if they have the same user and the same context.
   */
  friendField: z.optional(z.string()),
  isActive: z.boolean(),
  /** Counts the changes of the trigger. */
  revision: z.int(),
  createdAt: z.string(),
});
export type Trigger = z.infer<typeof Trigger>;

/** Returns what is wrong with the `friendField` of a trigger; undefined when nothing is. */
export function friendFieldFault({
  event,
  friendField,
  contextSchema,
}: Pick<Trigger, 'event' | 'friendField' | 'contextSchema'>): string | undefined {
  if (friendField === undefined) return undefined;
  if (event !== 'REFERRAL') return 'only the event REFERRAL has a friend';
  const field = new Map(Object.entries(contextSchema.fields)).get(friendField);
  return field?.type === 'string' ? undefined : `the context needs the field ${friendField} of the type string`;
}

/** The flow trigger that the events of a trigger match. */
export function flowTriggerOf({ event, customTriggerId }: Pick<Trigger, 'event' | 'customTriggerId'>): FlowTrigger {
  return event === 'REFERRAL' ? { type: 'REFERRAL' } : { type: 'CUSTOM', customTriggerId };
}
