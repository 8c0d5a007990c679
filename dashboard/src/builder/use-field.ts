import type { CampaignFault } from '../../../shared/domain/campaign/document/kinds/kind.ts';
import { useBuilder } from './context.ts';
import { type Pointer, valueAt } from './pointer.ts';
import { faultsAt, faultText } from './step-status.ts';

/** One field of the document: its value, what is wrong with it, and how to change it. */
export interface BoundField {
  readonly value: unknown;
  readonly fault: string | undefined;
  readonly lock: string | undefined;
  readonly set: (value: unknown) => void;
}

/**
 * Binds a field to the document.
 *
 * @param label the words for the field in its faults
 */
export function useField(pointer: Pointer, label: string): BoundField {
  const { state, faults, change, lockOf, showsMissing } = useBuilder();
  return {
    value: valueAt(state.document, pointer),
    fault: faultOf(shownFaults(faults, showsMissing), pointer, label),
    lock: lockOf(pointer),
    set: (value) => change({ kind: 'set', pointer, value }),
  };
}

/** The fault at a field, as a sentence. */
function faultOf(faults: readonly CampaignFault[], pointer: Pointer, label: string): string | undefined {
  const [found] = faultsAt(faults, pointer);
  return found && faultText(found, label);
}

/** A new part is full of missing fields: they are faults only when the person asks for the review. */
export const shownFaults = (faults: readonly CampaignFault[], showsMissing: boolean): readonly CampaignFault[] =>
  showsMissing ? faults : faults.filter(({ code }) => code !== 'required' && code !== 'no_rate');
