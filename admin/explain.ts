import type { Decision } from '../shared/domain/campaign/evaluate.ts';
import { count, dollars, moment } from './cli/text.ts';

/** A stored decision in words that somebody who never saw the code understands. */

type ActionOutcome = Decision['flows'][number]['actions'][number];

/**
 * Tells line by line what was known, what was decided, and how the points came about.
 *
 * @param about the action whose points are asked about; of the others only the result is told
 */
export function explain(decision: Decision, about: { readonly actionId: number }): string[] {
  const { campaignId, campaignVersion, facts, refused, flows } = decision;
  return [
    `Decided for ${moment(facts.occurredAt)} by campaign ${campaignId}, version ${campaignVersion}.`,
    factsText(facts),
    ...(refused === null ? [] : [`Nothing was rewarded: ${refusalText(refused)}.`]),
    ...flows.flatMap(({ flowId, actions }) =>
      actions.flatMap((action) =>
        action.actionId === about.actionId
          ? [`Flow ${flowId}, action ${action.actionId}:`, ...actionLines(action, facts).map((line) => `  ${line}`)]
          : [`Flow ${flowId}, action ${action.actionId}, came to ${count(action.points)} points as well.`],
      ),
    ),
  ];
}

function factsText({ trigger, amountCents, partnershipIsActive, statusTierId }: Decision['facts']): string {
  const tier = statusTierId === null ? 'a member without a status tier' : `a member of status tier ${statusTierId}`;
  return `Known were ${triggerText(trigger)} of ${dollars(amountCents)} by ${tier}, while the partnership was ${
    partnershipIsActive ? 'active' : 'not active'
  }.`;
}

function triggerText(trigger: Decision['facts']['trigger']): string {
  switch (trigger) {
    case 'SPEND':
      return 'a purchase';
  }
}

function refusalText(refused: NonNullable<Decision['refused']>): string {
  switch (refused) {
    case 'campaign_not_running':
      return 'the campaign was not running at that time';
    case 'partnership_not_active':
      return 'the partnership was not active';
    case 'points_out_of_range':
      return 'it would have come to more points than can be counted';
  }
}

function actionLines(action: ActionOutcome, { amountCents }: Decision['facts']): string[] {
  const rate = rateOf(action);
  const factors = action.multipliers
    .filter(({ matched }) => matched)
    .map(({ factorBp }) => `× ${decimal(factorBp, 4)}`);
  const terms = [dollars(amountCents), rate.term, ...(action.kind === 'AWARD_POINTS' ? factors : [])].join(' ');
  const worth =
    action.kind === 'REDEEM_POINTS' && factors.length > 0 ? ` (the point’s worth ${factors.join(' ')})` : '';
  return [
    rate.text,
    ...action.multipliers.map(({ multiplierId, matched, factorBp }) =>
      matched
        ? `Multiplier ${multiplierId} applied: × ${decimal(factorBp, 4)}.`
        : `Multiplier ${multiplierId} (× ${decimal(factorBp, 4)}) did not apply to the member.`,
    ),
    `${terms}${worth} came to ${count(action.points)} points, rounded ${rate.rounded} to whole points.`,
  ];
}

/** The base rate in words and as a term of the calculation, and which way the result is rounded. */
function rateOf({ kind, baseRate }: ActionOutcome) {
  switch (kind) {
    case 'AWARD_POINTS': {
      const points = decimal(baseRate, 4);
      return { text: `Each dollar earns ${points} points.`, term: `× ${points} points per dollar`, rounded: 'down' };
    }
    case 'REDEEM_POINTS': {
      const worth = `$${decimal(baseRate, 6)}`;
      return { text: `Each point is worth ${worth}.`, term: `÷ ${worth} per point`, rounded: 'up' };
    }
  }
}

/** `1.5` of 15000 with four decimals: exact, without the zeros at the end. */
function decimal(value: number, decimals: number): string {
  const digits = String(value).padStart(decimals + 1, '0');
  const fraction = digits.slice(-decimals).replace(/0+$/, '');
  return digits.slice(0, -decimals) + (fraction && `.${fraction}`);
}
