import type { FormField } from '../../../shared/domain/campaign/forms/part-forms.ts';
import { useBuilder } from './context.ts';
import { type Pointer, valueAt } from './pointer.ts';
import { faultsAt, faultText } from './step-status.ts';

/** One field of the document: its value, what is wrong with it, and how to change it. */
export interface BoundField {
  readonly value: unknown;
  /** A text that is no value yet; undefined when the value counts. */
  readonly text: string | undefined;
  readonly fault: string | undefined;
  readonly lock: string | undefined;
  readonly set: (value: unknown) => void;
}

/**
 * Binds a field to the document.
 *
 * @param label the words for the field in its faults
 * @param input how the field is filled in, if it belongs to a form
 */
export function useField(pointer: Pointer, label: string, input?: FormField['input']): BoundField {
  const { state, faults, change, lockOf, showsMissing } = useBuilder();
  const [found] = faultsAt(faults, pointer).filter(({ code }) => showsMissing || !isMissing(code));
  return {
    value: valueAt(state.document, pointer),
    text: state.texts[pointer]?.text,
    fault: found && faultText(found, label, input),
    lock: lockOf(pointer),
    set: (value) => change({ kind: 'set', pointer, value }),
  };
}

/** A new part is full of missing fields: they are faults only when the person asks for the review. */
const isMissing = (code: string): boolean => code === 'required' || code === 'no_rate';
