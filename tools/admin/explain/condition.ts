import type { ConditionOutcome, GroupOutcome } from '../../../shared/domain/campaign/evaluation/decision.ts';
import { count, dollars } from '../cli/text.ts';

/** A group of conditions, and what each of them found. */
export function groupLines({ groupId, logic, holds, conditions }: GroupOutcome): string[] {
  const wanted = logic === 'ANY' ? 'any of its conditions' : 'all of its conditions';
  return [
    `Group ${groupId}, which wants ${wanted} to hold, ${holds ? 'held' : 'did not hold'}:`,
    ...conditions.map((condition) => `  ${conditionText(condition)}`),
  ];
}

function conditionText(condition: ConditionOutcome): string {
  const { conditionId, holds, actual } = condition;
  const found = valueText(condition, actual);
  return `condition ${conditionId}, ${wantedText(condition)}, ${holds ? 'held' : 'did not hold'}: it was ${found}`;
}

function wantedText(condition: ConditionOutcome): string {
  const needed = valueText(condition, condition.needed);
  switch (condition.attribute) {
    case 'GEOGRAPHY':
      return `that the member ${isIn(condition) ? 'lives' : 'does not live'} in ${needed}`;
    case 'TOTAL_SPEND':
      return `that ${moreOrLess(condition)} ${needed} was spent at the merchant since connecting`;
    case 'BASKET_SIZE':
      return `that the purchase is ${moreOrLess(condition)} ${needed}`;
    case 'TIME_ELAPSED':
      return `that the member connected ${moreOrLess(condition)} ${needed} ago`;
    case 'CUSTOM':
      return `that ${attributeText(condition)} ${isIn(condition) ? 'is' : 'is not'} one of ${needed}`;
  }
}

const attributeText = ({ name }: ConditionOutcome) => (name === undefined ? 'the attribute' : `the attribute ${name}`);
const isIn = ({ operator }: ConditionOutcome) => operator === 'IS_IN';
const moreOrLess = ({ operator }: ConditionOutcome) => (operator === 'GREATER_THAN' ? 'more than' : 'less than');

/** A value in the unit of the condition's attribute. */
function valueText({ attribute }: ConditionOutcome, value: ConditionOutcome['actual']): string {
  if (value === null) return 'not known';
  if (Array.isArray(value)) return value.map((part) => `“${part}”`).join(', ') || 'nothing';
  if (typeof value === 'string') return `“${value}”`;
  switch (attribute) {
    case 'TOTAL_SPEND':
    case 'BASKET_SIZE':
      return dollars(value);
    case 'TIME_ELAPSED':
      return `${count(Math.floor(value * 100) / 100)} days`;
    case 'GEOGRAPHY':
    case 'CUSTOM':
      return count(value);
  }
}
