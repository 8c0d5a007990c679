import type { CampaignFault } from '../../../shared/domain/campaign/document/kinds/kind.ts';
import { boundInWords, type FormField } from '../../../shared/domain/campaign/forms/part-forms.ts';
import { inPlainWords } from '../../../shared/domain/campaign/forms/plain-words.ts';
import { isWithin, type Pointer } from './pointer.ts';
import { type BuilderState, type Step, steps } from './state.ts';

/** The faults of a draft, by step and by field. */

/** `begun` is false for a step that was never opened and has nothing in it: its faults are not shown yet. */
export interface StepStatus {
  readonly step: Step;
  readonly kind: 'complete' | 'faulty' | 'not_begun';
  readonly faults: readonly CampaignFault[];
}

/** The fields of the campaign file that each step fills in. */
const fieldsOf: Readonly<Record<Step, readonly string[]>> = {
  details: ['name', 'description', 'logo', 'type'],
  schedule: ['startsAt', 'endsAt'],
  flows: ['flows'],
  goals: ['goals'],
};

/** The step in which a fault is mended. Faults of unknown fields belong to the details. */
export function stepOf(pointer: Pointer): Step {
  return steps.find((step) => fieldsOf[step].some((name) => isWithin(pointer, `/${name}`))) ?? 'details';
}

/**
 * All faults of a draft: those that the domain finds, and the texts that are no values yet. A text replaces the fault
 * that the field is missing.
 *
 * @param found by `campaignFaults` for the file of the state
 */
export function allFaults({ texts }: BuilderState, found: readonly CampaignFault[]): CampaignFault[] {
  const unread = Object.entries(texts).map(([pointer, { fault }]) => ({
    pointer,
    code: 'not_readable',
    message: fault,
  }));
  return [...unread, ...found.filter(({ pointer }) => texts[pointer] === undefined)];
}

/** The status of every step. */
export function stepStatuses(state: BuilderState, found: readonly CampaignFault[]): StepStatus[] {
  const faults = allFaults(state, found);
  return steps.map((step) => {
    const own = faults.filter(({ pointer }) => stepOf(pointer) === step);
    if (!isBegun(state, step)) return { step, kind: 'not_begun', faults: own };
    return { step, kind: own.length === 0 ? 'complete' : 'faulty', faults: own };
  });
}

function isBegun({ document, opened }: BuilderState, step: Step): boolean {
  return opened.includes(step) || fieldsOf[step].some((name) => name !== 'type' && hasContent(document[name]));
}

const hasContent = (value: unknown): boolean =>
  Array.isArray(value) ? value.length > 0 : value !== undefined && value !== null && value !== '';

/** What a sentence about a fault needs. */
type FaultWords = Pick<CampaignFault, 'message'> & Partial<Pick<CampaignFault, 'code'>>;

/** The faults of exactly one field or part. */
export const faultsAt = (faults: readonly CampaignFault[], pointer: Pointer): CampaignFault[] =>
  faults.filter((fault) => fault.pointer === pointer);

/** The faults of a part and of everything in it. */
export const faultsWithin = (faults: readonly CampaignFault[], pointer: Pointer): CampaignFault[] =>
  faults.filter((fault) => isWithin(fault.pointer, pointer));

/**
 * A fault as a sentence. The message of a schema follows the name of its field: `“Amount” has to be at least $1.00.`
 *
 * @param input how the field is filled in; absent for what is no field of a form
 */
export function faultText({ code, message }: FaultWords, label: string, input?: FormField['input']): string {
  const words = inPlainWords(boundInWords(code, input) ?? message);
  const sentence = /^[a-z]/.test(words) ? `${label.startsWith('The ') ? label : `“${label}”`} ${words}` : words;
  return /[.!?]$/.test(sentence) ? sentence : `${sentence}.`;
}
