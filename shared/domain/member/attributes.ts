import { maximumBytes, maximumCount } from '../../contracts/limits.ts';
import type { Attributes } from '../campaign/document/facts.ts';

/** Whether a name can be kept: those that every object has, such as `constructor`, the table takes for something else. */
export const isKeepableName = (name: string): boolean => !(name in Object.prototype);

/** Whether attributes are few and small enough to be kept. */
export function areKeepable(attributes: Attributes): boolean {
  if (Object.keys(attributes).length > maximumCount.attributeNames) return false;
  return Buffer.byteLength(JSON.stringify(attributes)) <= maximumBytes.memberAttributes;
}

/** What is told now goes before what was told earlier, of which as much is kept as there is room for. */
export function withAttributes(earlier: Attributes, told: Attributes): Attributes {
  let kept = told;
  for (const [name, values] of Object.entries(earlier)) {
    const more = { [name]: values, ...kept };
    if (areKeepable(more)) kept = more;
  }
  return kept;
}
