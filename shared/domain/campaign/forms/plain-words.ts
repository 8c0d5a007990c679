import type { CampaignType } from '../document/kinds/kind.ts';
import {
  actionKinds,
  conditionKinds,
  goalKinds,
  limitKinds,
  multiplierKinds,
  triggerKinds,
} from '../document/kinds/registry.ts';

/** The words of campaign types in forms. */
export const typeLabels: Readonly<Record<CampaignType, string>> = {
  EARN: 'Earn',
  REDEEM: 'Redeem',
  TRANSFER: 'Transfer',
  CONNECT_ONLY: 'Connect only',
};

/**
 * Replaces the names of campaign files by the words of forms: "A REDEEM campaign has REDEEM_POINTS" becomes "A “Redeem”
 * campaign has “Pay with points”".
 */
export function inPlainWords(message: string): string {
  const labels = labelsByName();
  return message.replaceAll(/\b[A-Z][A-Z_]+[A-Z]\b/g, (name) => {
    const label = labels.get(name);
    return label === undefined ? name : `“${label}”`;
  });
}

function labelsByName(): ReadonlyMap<string, string> {
  const kinds = [multiplierKinds, conditionKinds, limitKinds, goalKinds, triggerKinds, actionKinds].flat();
  const named = kinds.map(({ name, form }): [string, string] => [name, form.label]);
  return new Map([...named, ...Object.entries(typeLabels)]);
}
