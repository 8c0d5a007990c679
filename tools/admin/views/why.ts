import type { ExplainedSource, ExplainedTransaction } from '../../../shared/operations/explain-rewards.ts';
import { paragraphs, section } from '../cli/text.ts';
import { explain } from '../explain/explain.ts';
import { simulationLines } from '../explain/occasion.ts';
import { refundLines, reversalLines } from '../explain/refunds.ts';
import { rewardsTable, sourceFacts, sourceView, transactionFacts, transactionView } from './transaction.ts';

/** A reward transaction and the decision behind it, for scripts and for people. */
export function transactionReport(explained: ExplainedTransaction) {
  const { transaction, decision, campaign, merchantName: merchant, partnerName: partner } = explained;
  const explanation = explanationOf(explained);
  return {
    json: { transaction: transactionView(transaction), campaign: campaign?.name ?? null, explanation, decision },
    text: paragraphs(
      transactionFacts(transaction, { merchant, partner, campaign }),
      section('Why', explanation.join('\n')),
    ),
  };
}

/** The decision and the effect of refunds on it. A reversal is explained by the decision of its original. */
function explanationOf({ transaction, decision, original }: ExplainedTransaction): string[] {
  return original
    ? [...reversalLines(transaction, original), ...explain(decision, original)]
    : [...explain(decision, transaction), ...refundLines(transaction)];
}

const simulatedNow =
  'Decisions that gave nothing are not stored. The ones below are made now, for the time of the order or event, by the ' +
  'present version of each campaign and with the member’s present spend and use of limits. Both may have been different.';

/** An order or trigger event with its rewards, and the campaigns that gave nothing. */
export function sourceReport({ source, transactions, simulations, merchantName }: ExplainedSource) {
  const evaluations = simulations.map((simulation) => ({
    campaignId: simulation.campaign.id,
    campaign: simulation.campaign.name,
    explanation: simulationLines(simulation),
  }));
  return {
    json: { ...sourceView(source), transactions: transactions.map(transactionView), evaluations },
    text: paragraphs(
      sourceFacts(source, merchantName),
      section('Rewards', rewardsTable(transactions)),
      ...(evaluations.length > 0 ? [simulatedNow] : []),
      ...evaluations.map(({ campaignId, campaign, explanation }) =>
        section(`Campaign ${campaignId} (${campaign})`, explanation.join('\n')),
      ),
    ),
  };
}
