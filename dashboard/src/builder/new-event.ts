import { maximumCharacters } from '../../../shared/contracts/limits.ts';
import { describeIssue, unworded } from '../../../shared/domain/issues.ts';
import type { ContextField, Trigger } from '../../../shared/domain/trigger/trigger.ts';
import { TriggerFile } from '../../../shared/domain/trigger/trigger-file.ts';
import { readNumber } from './reducer.ts';

/** An event of the partnership, as a person makes it in the builder. */

export type FieldType = ContextField['type'];

/** A field of the event as it is typed. */
export interface TypedField {
  /** Stays when fields before it are removed. */
  readonly key: number;
  readonly name: string;
  readonly type: FieldType;
  readonly isRequired: boolean;
  /** The bounds of a number. Of a text, `maximum` bounds the characters. */
  readonly minimum: string;
  readonly maximum: string;
}

export interface TypedEvent {
  readonly event: Trigger['event'];
  readonly name: string;
  readonly description: string;
  /** The field that names the friend of a referral; empty for none. */
  readonly friendField: string;
  readonly fields: readonly TypedField[];
  readonly allowsOtherFields: boolean;
}

/** The types of fields, in words. */
export const fieldTypes: Readonly<Record<FieldType, string>> = {
  string: 'Text',
  number: 'Number',
  integer: 'Whole number',
  boolean: 'Yes or no',
  datetime: 'Date and time',
};

export const isNumeric = (type: FieldType): boolean => type === 'number' || type === 'integer';

/** A new field. Most conditions compare texts. */
export const newField = (key: number): TypedField => ({
  ...{ key, name: '', type: 'string', isRequired: false, minimum: '', maximum: '' },
});

/** What is wrong with a typed event, by place: `name`, `friendField`, `fields/0/minimum`. */
type EventFaults = ReadonlyMap<string, string>;

/** Reads a typed event by the rules of trigger files. */
export function readEvent(typed: TypedEvent): { readonly file: TriggerFile } | { readonly faults: EventFaults } {
  const faults = new Map(typed.fields.flatMap(fieldFaults(typed.fields)));
  const { data, error } = TriggerFile.safeParse(fileOf(typed), { error: () => unworded });
  for (const issue of error?.issues ?? []) {
    const place = placeOf(issue.path, typed.fields);
    if (!faults.has(place)) faults.set(place, describeIssue(issue));
  }
  return data && faults.size === 0 ? { file: data } : { faults };
}

function fileOf({ event, name, description, friendField, fields, allowsOtherFields }: TypedEvent): unknown {
  return {
    name: name.trim(),
    description: description.trim() === '' ? null : description.trim(),
    event,
    ...(event === 'REFERRAL' && friendField !== '' && { friendField }),
    contextSchema: {
      fields: Object.fromEntries(fields.map((field) => [field.name.trim(), fieldOf(field)])),
      allowsOtherFields,
    },
  };
}

function fieldOf({ type, isRequired, minimum, maximum }: TypedField): unknown {
  const most = numberIn(maximum);
  if (type === 'string') return { type, isRequired, ...(most !== null && { maximumLength: most }) };
  return { type, isRequired, ...(isNumeric(type) && { minimum: numberIn(minimum), maximum: most }) };
}

function numberIn(text: string): number | null {
  const read = readNumber(text);
  return 'value' in read ? read.value : null;
}

/** Faults that no file has, because a file has one field of each name, and numbers only. */
const fieldFaults =
  (fields: readonly TypedField[]) =>
  ({ name, type, minimum, maximum }: TypedField, position: number): [string, string][] => {
    const at = `fields/${position}`;
    const isTaken = fields.slice(0, position).some((one) => one.name.trim() === name.trim());
    const bounds = isNumeric(type) ? { minimum, maximum } : type === 'string' ? { maximum } : {};
    return [
      ...(name.trim() === '' ? [[`${at}/name`, 'must not be empty'] as [string, string]] : []),
      ...(name.trim() !== '' && isTaken
        ? [[`${at}/name`, 'has to differ from the other fields'] as [string, string]]
        : []),
      ...(name.trim() in Object.prototype ? [[`${at}/name`, 'has to be another word'] as [string, string]] : []),
      ...(name.length > maximumCharacters.text
        ? [[`${at}/name`, `has to have at most ${maximumCharacters.text} characters`] as [string, string]]
        : []),
      ...Object.entries(bounds).flatMap(([bound, text]): [string, string][] => {
        const read = readNumber(text);
        return text.trim() !== '' && 'fault' in read ? [[`${at}/${bound}`, read.fault]] : [];
      }),
    ];
  };

/** The place of an issue. A fault of a field's name is one of the whole list. */
function placeOf([first = '', , name, bound]: readonly PropertyKey[], fields: readonly TypedField[]): string {
  if (first !== 'contextSchema') return String(first);
  const position = fields.findIndex((field) => field.name.trim() === name);
  return position < 0
    ? 'fields'
    : `fields/${position}/${bound === 'maximumLength' ? 'maximum' : String(bound ?? 'name')}`;
}
