import type { Kind } from '../../../shared/domain/campaign/document/kinds/kind.ts';
import {
  actionKinds,
  conditionKinds,
  goalKinds,
  limitKinds,
  multiplierKinds,
  triggerKinds,
} from '../../../shared/domain/campaign/document/kinds/registry.ts';

/**
 * The help about campaign files: an example of a file, and every part that a file can have. The examples of parts come
 * from the kinds.
 */
export const fileHelp = `
The file is JSON, such as
  {
    "name": "Two points for every dollar",
    "description": "Every purchase earns two points per dollar; gold members earn half as much again.",
    "type": "EARN",
    "startsAt": "2026-12-01T00:00:00-05:00",
    "endsAt": null,
    "flows": [
      {
        "trigger": { "type": "SPEND" },
        "actions": [{ "kind": "AWARD_POINTS", "pointsPerDollarBp": 20000 }],
        "multipliers": [{ "attribute": "CUSTOMER_STATUS", "operator": "IS_IN", "statusTierIds": [2], "factorBp": 15000 }],
        "limits": [{ "kind": "USER", "unit": "POINTS", "amount": 5000, "period": "MONTH" }]
      }
    ],
    "goals": [{ "type": "POINTS_EARNED", "target": 1000000 }]
  }
A flow begins with one of these triggers:
${examplesOf(triggerKinds)}
Actions. SPEND and a CUSTOM trigger with an amount are rewarded by the dollar, every other trigger by the event:
${examplesOf(actionKinds)}
Conditions stand in groups. All groups have to hold; a group holds when ANY (the default) or ALL of its conditions do:
  "conditionGroups": [{ "logic": "ANY", "conditions": [
${examplesOf(conditionKinds)}
  ] }]
Multipliers scale the rate, in ten-thousandths: 15000 is one and a half times.
${examplesOf(multiplierKinds)}
Limits of one transaction, or of one member in a DAY, WEEK, MONTH, QUARTER, YEAR or LIFETIME. DOLLARS are in cents:
${examplesOf(limitKinds)}
Goals:
${examplesOf(goalKinds)}
Every flow of an EARN campaign rewards. Of a REDEEM or TRANSFER campaign the first flow that can take the points does;
each of its flows has one action that takes points, and a REDEEM flow may also give cashback.
In a flow with "reevaluateOnRefund": true, a refund tests the basket size and minimums again.
A CONNECT_ONLY campaign has a flow that begins with REGISTRATION and has no actions: "actions": [].

Without a start, the campaign starts with the last approval. Parts belong to the organisation that applies the file.
Parts of the other side have to stay in it unchanged, with their ids. \`campaign show <campaign> --file <file>\` writes such a file.
`;

/** Lists the examples of some kinds. The note of an example is beside it, or below it if the line would be too long. */
function examplesOf(kinds: readonly Kind[]): string {
  const examples = kinds.flatMap((kind) => kind.examples.map(({ part, note }) => ({ json: inOneLine(part), note })));
  const width = Math.max(...examples.map(({ json }) => json.length));
  return examples
    .map(({ json, note }) =>
      width + note.length < 125 ? `  ${json.padEnd(width)}   ${note}` : `  ${json}\n      ${note}`,
    )
    .join('\n');
}

/** Formats JSON in one line, with blanks between its parts. */
function inOneLine(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(inOneLine).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).map(([name, field]) => `${JSON.stringify(name)}: ${inOneLine(field)}`);
  return `{ ${fields.join(', ')} }`;
}
