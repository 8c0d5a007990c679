import { faultsAt, faultText } from '../../builder/step-status.ts';
import { valueAt } from '../../builder/pointer.ts';
import { useBuilder } from './builder-context.ts';

/** One field of the campaign: its value, its fault in words, why it is locked, and how to change it. */
export function useField(pointer: string, label: string) {
  const { state, change, faults, lockOf } = useBuilder();
  const [fault] = faultsAt(faults, pointer);
  const lock = lockOf(pointer);
  return {
    value: valueAt(state.document, pointer),
    fault: fault && faultText(fault, label),
    lock,
    set: (value: unknown) => change({ kind: 'set', pointer, value }),
  };
}
