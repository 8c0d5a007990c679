import type { CampaignFault, CampaignSettings } from '../document/kinds/fault.ts';
import { isObject, type Json } from '../document/tree.ts';
import { unknownTrigger } from './flow-faults.ts';

/** A file in which flows begin with triggers by their ids, and what is wrong with the names that stood in it. */
export interface WithTriggerIds {
  readonly file: Json;
  readonly faults: readonly CampaignFault[];
}

/** No trigger has it. It stands for one that there is not, of which a fault tells. */
const noTrigger = 0;

/**
 * Puts ids where a person wrote names of triggers: `{ "type": "CUSTOM", "name": "signup_completed" }`. A
 * file then says the same of every partnership that has such a trigger. What is no flow is left as it is.
 */
export function withTriggerIds(file: Json, triggers: CampaignSettings['triggers']): WithTriggerIds {
  if (!Array.isArray(file.flows)) return { file, faults: [] };
  const faults: CampaignFault[] = [];
  const flows = file.flows.map((flow, position) => {
    const named = isObject(flow) && isObject(flow.trigger) ? nameIn(flow.trigger) : undefined;
    if (named === undefined) return flow;
    const found = triggers.find(({ name }) => name === named);
    if (!found) faults.push(unknownTrigger(`/flows/${position}/trigger/name`, `“${named}”`, triggers));
    return { ...flow, trigger: { type: 'CUSTOM', customTriggerId: found?.customTriggerId ?? noTrigger } };
  });
  return { file: { ...file, flows }, faults };
}

function nameIn({ type, name, ...rest }: Json): string | undefined {
  return type === 'CUSTOM' && typeof name === 'string' && Object.keys(rest).length === 0 ? name : undefined;
}
