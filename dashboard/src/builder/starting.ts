import { type CampaignType, campaignTypes } from '../../../shared/domain/campaign/document/kinds/kind.ts';
import { isSame, type Json, listIn } from '../../../shared/domain/campaign/document/tree.ts';
import { firstKind, newPart } from '../../../shared/domain/campaign/forms/part-forms.ts';

/** The parts that nearly every campaign of a type begins with. */

/** A flow with the trigger and the action of a campaign type, to be filled in. */
export function startingFlow(type: CampaignType): Json {
  const [trigger, action] = [firstKind('trigger', type), firstKind('actions', type)];
  return {
    ...(trigger !== undefined && { trigger: newPart('trigger', trigger) }),
    actions: action === undefined ? [] : [newPart('actions', action)],
  };
}

/** The document with another type. Flows that nobody has changed yet become those of the new type. */
export function withType(document: Json, before: CampaignType, type: CampaignType): Json {
  const flows = listIn(document, 'flows');
  const isUntouched = flows.length === 0 || (flows.length === 1 && isSame(flows[0], startingFlow(before)));
  return { ...document, type, ...(isUntouched && { flows: flows.length === 0 ? flows : [startingFlow(type)] }) };
}

/** The type of a document that may not be whole. */
export const typeOf = ({ type }: Json): CampaignType => campaignTypes.find((one) => one === type) ?? 'EARN';
