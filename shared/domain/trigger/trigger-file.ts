import * as z from 'zod/mini';
import { maximumCharacters, maximumCount } from '../../contracts/limits.ts';
import { isObject } from '../campaign/document/tree.ts';
import { ContextSchema, friendFieldFault, triggerKinds } from './trigger.ts';

/** Letters and digits, and what separates words: so a name fits into an address, and nobody misreads it. */
const plainName = /^[\p{L}\p{N}](?:[\p{L}\p{N} ._-]*[\p{L}\p{N}])?$/u;

const name = z.string().check(
  z.minLength(1),
  z.maxLength(maximumCharacters.text),
  z.refine((text: string) => text === '' || plainName.test(text), {
    error: 'has to be letters, digits, spaces, dots, hyphens and underscores, such as signup_completed',
    params: { code: 'invalid_characters' },
  }),
);

/** A trigger as people write it. */
export const TriggerFile = z
  .strictObject({
    name,
    description: z.nullable(z.string().check(z.maxLength(maximumCharacters.description))),
    event: z._default(z.enum(triggerKinds), 'CUSTOM'),
    friendField: z.optional(z.string()),
    isActive: z._default(z.boolean(), true),
    contextSchema: ContextSchema,
  })
  .check(
    z.superRefine(
      (file, issues) => {
        for (const [path, message] of faultsBetween(file))
          issues.addIssue({ code: 'custom', path: [...path], message });
      },
      // This check runs even when other fields are wrong, so that all faults of a file are reported at once.
      { when: ({ value }) => isObject(value) && isObject(value.contextSchema) && isObject(value.contextSchema.fields) },
    ),
  );
export type TriggerFile = z.infer<typeof TriggerFile>;

type Fault = readonly [path: readonly string[], message: string];

/** The faults that lie between several fields. Other fields of the file may be faulty too. */
function faultsBetween(file: TriggerFile): Fault[] {
  const { fields } = file.contextSchema;
  const friend = friendFieldFault(file);
  const crossed = Object.entries(fields).filter(([, field]) => isCrossed(field));
  return [
    ...(friend === undefined ? [] : [[['friendField'], friend] as const]),
    ...(Object.keys(fields).length > maximumCount.contextFields
      ? [[['contextSchema', 'fields'], `has to have at most ${maximumCount.contextFields} fields`] as const]
      : []),
    ...crossed.map(
      ([field]): Fault => [['contextSchema', 'fields', field, 'maximum'], 'must not be below the minimum'],
    ),
  ];
}

/** Whether no number lies within the bounds of a field. */
function isCrossed(field: unknown): boolean {
  if (!isObject(field)) return false;
  const { minimum, maximum } = field;
  return typeof minimum === 'number' && typeof maximum === 'number' && minimum > maximum;
}
