import type { Facts } from '../../../shared/domain/campaign/document/facts.ts';
import type { ActionOutcome, FlowOutcome } from '../../../shared/domain/campaign/evaluation/decision.ts';
import { count, counted, dollars } from '../cli/text.ts';
import { decimal } from './number.ts';

/** How an action came to its points or its money. */
export function actionLines(action: ActionOutcome, flow: FlowOutcome, facts: Facts): string[] {
  const rate = rateOf(action, facts);
  const factors = flow.multipliers.filter(({ matched }) => matched).map(({ factorBp }) => `× ${decimal(factorBp, 4)}`);
  const isDivided = action.kind === 'REDEEM_POINTS';
  const terms = [baseText(facts), rate.term, ...(isDivided ? [] : factors)].join(' ');
  const worth = isDivided && factors.length > 0 ? ` (the point’s worth ${factors.join(' ')})` : '';
  const whole = wholeText(action);
  return [
    rate.text,
    `${terms}${worth} came to ${whole}, rounded ${isDivided ? 'up' : 'down'}.`,
    ...(action.cappedFrom === null ? [] : [`Limits left ${amountText(action)} of it.`]),
    ...(action.transfer === null ? [] : [transferText(action.transfer, action.points)]),
  ];
}

/** What an action came to: points, or money. */
export function amountText({ kind, points, cashbackCents }: ActionOutcome): string {
  return kind === 'AWARD_CASHBACK' ? dollars(cashbackCents) : counted(count(points), 'point');
}

/** What it would have come to without maximum limits. */
function wholeText(action: ActionOutcome): string {
  if (action.cappedFrom === null) return amountText(action);
  return amountText({ ...action, points: action.cappedFrom, cashbackCents: action.cappedFrom });
}

/** The base rate in words, and as a term of the calculation. */
function rateOf({ kind, baseRate }: ActionOutcome, { trigger }: Facts) {
  const per = trigger.type === 'SPEND' ? 'dollar' : 'event';
  switch (kind) {
    case 'AWARD_POINTS': {
      const points = counted(decimal(baseRate, 4), 'point');
      return { text: `Each ${per} earns ${points}.`, term: `× ${points} per ${per}` };
    }
    case 'AWARD_CASHBACK': {
      const cents = counted(decimal(baseRate, 4), 'cent');
      return { text: `Each ${per} gives ${cents} back.`, term: `× ${cents} per ${per}` };
    }
    case 'REDEEM_POINTS': {
      const worth = `$${decimal(baseRate, 6)}`;
      return { text: `Each point is worth ${worth}.`, term: `÷ ${worth} per point` };
    }
    case 'TRANSFER_POINTS': {
      const points = decimal(baseRate, 4);
      return { text: `Each point becomes ${points} of the other program’s.`, term: `× ${points}` };
    }
  }
}

/** What the rate is applied to. */
function baseText({ trigger, amountCents, transferPoints }: Facts): string {
  if (transferPoints !== null) return `${count(transferPoints)} points`;
  return trigger.type === 'SPEND' ? dollars(amountCents ?? 0) : '1 event';
}

function transferText(transfer: NonNullable<ActionOutcome['transfer']>, arrived: number): string {
  const { fromPartnerId, toPartnerId, points } = transfer;
  return (
    `${count(points)} points left the program of organisation ${fromPartnerId}, ` +
    `${count(arrived)} arrived in that of organisation ${toPartnerId}.`
  );
}
