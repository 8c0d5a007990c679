import { type Decision, isCounted } from '../../../shared/domain/campaign/evaluation/decision.ts';
import type { ExplainedLink } from '../../../shared/operations/ledger/explain-rewards.ts';
import type { Report } from '../cli/cli.ts';
import { paragraphs, section } from '../cli/text.ts';
import { explain } from '../explain/explain.ts';

/** The decisions of connect-only campaigns about the link of an account. */
export function linkReport({ membershipId, userId, decisions, tierNameOf }: ExplainedLink): Report {
  return {
    json: { accountId: membershipId, memberId: userId, decisions },
    text: paragraphs(
      `Account ${membershipId} of member ${userId}, when it was linked:`,
      ...decisions.map((decision) =>
        section(resultText(decision), explain(decision, undefined, { tierName: tierNameOf }).join('\n')),
      ),
    ),
  };
}

const resultText = (decision: Decision) =>
  `Campaign ${decision.campaignId} ${isCounted(decision) ? 'counted' : 'did not count'} the member as registered`;
