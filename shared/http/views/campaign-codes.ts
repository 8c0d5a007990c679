import * as z from 'zod/mini';
import { type Codes, describeCodes, described } from '../../contracts/described.ts';
import type { Unit } from '../../domain/campaign/document/kinds/kind.ts';
import { limitUnits } from '../../domain/campaign/document/kinds/limits.ts';
import {
  actionKinds,
  conditionKinds,
  goalKinds,
  limitKinds,
  multiplierKinds,
} from '../../domain/campaign/document/kinds/registry.ts';

/**
 * The numbers that stand for words in campaigns on the wire (specification; docs/gaps.md, "Resources and their
 * fields").
 */

/** A code on the wire. */
export const code = z.int().check(z.gte(1));
export const owner = described('The organisation that owns it; 0 for the platform.', z.int().check(z.gte(0)));

function codesOf<Name extends string>(kinds: readonly { readonly name: Name; readonly code: number }[]) {
  return Object.fromEntries(kinds.map(({ name, code: number }) => [name, number])) as Codes<Name>;
}

export const actionTypeCodes = codesOf(actionKinds);
export const conditionTypeCodes = codesOf(conditionKinds);
export const multiplierAttributeCodes = codesOf(multiplierKinds);
export const limitTypeCodes = codesOf(limitKinds);
export const goalTypeCodes = codesOf(goalKinds);

export const campaignTypeCodes = { EARN: 1, REDEEM: 2, CONNECT_ONLY: 3, TRANSFER: 4 } as const;
export const triggerTypeCodes = { SPEND: 1, REGISTRATION: 2, REFERRAL: 3, CUSTOM: 4 } as const;
export const operatorCodes = { IS_IN: 1, IS_NOT_IN: 2, GREATER_THAN: 3, LESS_THAN: 4 } as const;
export const logicCodes = { ANY: 1, ALL: 2 } as const;
export const boundCodes = { MINIMUM: 1, MAXIMUM: 2 } as const;
export const limitUnitCodes = {
  EVENTS: limitUnits.EVENTS.code,
  POINTS: limitUnits.POINTS.code,
  DOLLARS: limitUnits.DOLLARS.code,
} as const;
export const periodCodes = { DAY: 1, WEEK: 2, MONTH: 3, QUARTER: 4, YEAR: 5, LIFETIME: 6 } as const;

export const campaignType = described(`${describeCodes(campaignTypeCodes)}.`, code);
export const triggerType = described(`${describeCodes(triggerTypeCodes)}.`, code);
export const actionType = described(`${describeCodes(actionTypeCodes)}.`, code);
export const conditionType = described(`${describeCodes(conditionTypeCodes)}.`, code);
export const operator = described(`${describeCodes(operatorCodes)}.`, code);
export const multiplierAttribute = described(`${describeCodes(multiplierAttributeCodes)}.`, code);
export const limitType = described(`${describeCodes(limitTypeCodes)}.`, code);
export const bound = described(`${describeCodes(boundCodes)}.`, code);
export const limitUnit = described(`${describeCodes(limitUnitCodes)}.`, code);
export const goalType = described(`${describeCodes(goalTypeCodes)}.`, code);
export const logic = described(`The logic of the condition's group: ${describeCodes(logicCodes)}.`, code);

/** Converts a value for the wire: cents become dollars, other values stay. */
export function toWireUnit<Value>(value: Value, unit: Unit | null): Value | number {
  return unit === 'cents' && typeof value === 'number' ? value / 100 : value;
}
