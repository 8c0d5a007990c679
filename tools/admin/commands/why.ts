import type { Decision } from '../../../shared/domain/campaign/evaluation/decision.ts';
import type { RewardTransaction } from '../../../shared/domain/ledger/reward-transaction.ts';
import type { Platform } from '../../../shared/runtime/platform.ts';
import { OperatorError } from '../cli/errors.ts';
import type { Report } from '../cli/report.ts';
import { paragraphs, section } from '../cli/text.ts';
import { explain } from '../explain/explain.ts';
import { simulationLines } from '../explain/occasion.ts';
import { refundLines, reversalLines } from '../explain/refunds.ts';
import { findOccasion, type Occasion, otherCampaigns } from '../find/occasions.ts';
import { organisationNames } from '../find/organisations.ts';
import { findTransaction } from '../find/transactions.ts';
import type { Operator } from '../operator.ts';
import { occasionFacts, occasionView, rewardsTable } from '../views/occasion.ts';
import { transactionFacts, transactionView } from '../views/transaction.ts';

/** Tells why a reward transaction is what it is; of an order or a trigger event, what it was rewarded with and why not more. */
export async function why({ platform }: Operator, text: string, of: string | undefined): Promise<Report> {
  const transaction = of === undefined ? await findTransaction(platform, text) : undefined;
  if (transaction) return whyTransaction(platform, transaction);
  const occasion = await findOccasion(platform, text, of);
  if (occasion) return whyOccasion(platform, occasion);
  throw new OperatorError(`there is no reward transaction, order or trigger event ${text}`);
}

async function whyTransaction(platform: Platform, transaction: RewardTransaction): Promise<Report> {
  const decision = await platform.transactions.findSnapshot(transaction.snapshotId);
  if (!decision) throw new OperatorError(`the decision behind transaction ${transaction.id} is not in the table`);

  const { merchantId, partnerId, partnershipUuid, campaignId } = transaction;
  const [nameOf, found] = await Promise.all([
    organisationNames(platform, [merchantId, partnerId]),
    platform.campaigns.partnership(partnershipUuid),
  ]);
  const campaign = found?.campaigns.find((one) => one.campaign.id === campaignId)?.campaign;
  const explanation = await explanationOf(platform, transaction, decision);
  return {
    json: { transaction: transactionView(transaction), campaign: campaign?.name ?? null, explanation, decision },
    text: paragraphs(
      transactionFacts(transaction, { merchant: nameOf(merchantId), partner: nameOf(partnerId), campaign }),
      section('Why', explanation.join('\n')),
    ),
  };
}

/** The decision behind a transaction, and what refunds made of it; of a reversal, that of what it takes back. */
async function explanationOf(
  { transactions }: Platform,
  transaction: RewardTransaction,
  decision: Decision,
): Promise<string[]> {
  const { reverses } = transaction;
  if (!reverses) return [...explain(decision, transaction), ...refundLines(transaction)];
  const original = await transactions.find(reverses.id);
  if (!original) throw new OperatorError(`transaction ${reverses.id}, which was reversed, is not in the table`);
  return [...reversalLines(transaction, original), ...explain(decision, original)];
}

/** What the decision cannot say of what earned nothing: none was kept. */
const anew =
  'Nothing is kept of campaigns that gave nothing. They are decided about anew for when it came, by their version of now ' +
  'and what is known of the member now: what it had spent, and used of limits, may have been otherwise then.';

async function whyOccasion(platform: Platform, occasion: Occasion): Promise<Report> {
  const { transactionIds, merchantId } = occasion.told;
  const [found, others, nameOf] = await Promise.all([
    Promise.all(transactionIds.map((id) => platform.transactions.find(id))),
    otherCampaigns(platform, occasion),
    organisationNames(platform, [merchantId]),
  ]);
  const transactions = found.filter((one) => one !== undefined);
  const evaluations = others.map((simulation) => ({
    campaignId: simulation.campaign.id,
    campaign: simulation.campaign.name,
    explanation: simulationLines(simulation),
  }));
  return {
    json: { ...occasionView(occasion), transactions: transactions.map(transactionView), evaluations },
    text: paragraphs(
      occasionFacts(occasion, nameOf(merchantId)),
      section('Rewarded with', rewardsTable(transactions)),
      ...(evaluations.length > 0 ? [anew] : []),
      ...evaluations.map(({ campaignId, campaign, explanation }) =>
        section(`Campaign ${campaignId} (${campaign})`, explanation.join('\n')),
      ),
    ),
  };
}
