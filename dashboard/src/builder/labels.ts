import { isObject, type Json } from '../../../shared/domain/campaign/document/tree.ts';
import { type FormField, formOfPart, sortOfList } from '../../../shared/domain/campaign/forms/part-forms.ts';
import { type Pointer, splitPointer, valueAt } from './pointer.ts';

/** The words for fields, where only their pointers are known. */

const fields: Readonly<Record<string, string>> = {
  '/name': 'The name',
  '/description': 'The description',
  '/logo': 'The icon',
  '/type': 'The type',
  '/startsAt': 'The start',
  '/endsAt': 'The end',
};

/** The word for the field or part at a pointer, as in "Amount". */
export function labelOf(document: Json, pointer: Pointer): string {
  const { around, last } = splitPointer(pointer);
  const own = fields[pointer] ?? fieldLabel(document, around, last) ?? partLabel(document, pointer);
  // A fault of one entry of a list belongs to the list.
  return own ?? (/^\d+$/.test(last) && around !== '' ? labelOf(document, around) : 'The campaign');
}

const fieldLabel = (document: Json, part: Pointer, name: string): string | undefined =>
  fieldAt(document, part, name)?.label;

/** How the field at a pointer is filled in; undefined for what is no field of a form. */
export function inputAt(document: Json, pointer: Pointer): FormField['input'] | undefined {
  const { around, last } = splitPointer(pointer);
  return fieldAt(document, around, last)?.input;
}

const fieldAt = (document: Json, part: Pointer, name: string): FormField | undefined =>
  formAt(document, part)?.fields.find((field) => field.name === name);

const partLabel = (document: Json, pointer: Pointer): string | undefined => formAt(document, pointer)?.label;

function formAt(document: Json, pointer: Pointer) {
  const part = valueAt(document, pointer);
  const list = splitPointer(pointer);
  const sort = list.last === 'trigger' ? 'trigger' : sortOfList(splitPointer(list.around).last);
  if (!isObject(part) || sort === undefined) return undefined;
  return formOfPart(sort, part, noContext);
}

/** Labels depend on the kind alone. */
const noContext = {
  type: 'EARN',
  trigger: undefined,
  settings: {
    allowsCashback: true,
    partnerId: 0,
    programs: new Set<number>(),
    triggers: [],
    attributes: [],
    tiers: [],
  },
  names: {},
} as const;
