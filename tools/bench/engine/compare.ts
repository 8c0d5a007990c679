import type { Campaign } from '../../../shared/domain/campaign/document/campaign.ts';
import { evaluate } from '../../../shared/domain/campaign/evaluation/evaluate.ts';
import { Peer } from './peer.ts';
import { peerFactsOf } from './peer-facts.ts';
import type { Occasion, Workload } from './workload.ts';

/** An occasion under a campaign for which the engines do not award the same. */
interface Difference {
  readonly campaignId: number;
  readonly occasion: Occasion;
  readonly ours: number;
  readonly peers: number;
}

export interface Comparison {
  readonly compared: number;
  /** How many of them award something. */
  readonly awarded: number;
  readonly differences: readonly Difference[];
}

/** The points that one campaign awards by our engine. */
export function ourPoints(campaign: Campaign, { facts, usage }: Occasion): number {
  const { flows } = evaluate(campaign, facts, usage);
  return flows.reduce((sum, { actions }) => actions.reduce((points, action) => points + action.points, sum), 0);
}

/** Evaluates every occasion under every campaign by both engines. */
export async function compareEngines({ campaigns, occasions }: Workload): Promise<Comparison> {
  const peer = new Peer(campaigns);
  const differences: Difference[] = [];
  let awarded = 0;
  for (const occasion of occasions) {
    const byPeer = await peer.evaluate(peerFactsOf(occasion, campaigns));
    for (const campaign of campaigns) {
      const [ours, peers] = [ourPoints(campaign, occasion), byPeer.get(campaign.id) ?? 0];
      if (ours > 0) awarded += 1;
      if (ours !== peers) differences.push({ campaignId: campaign.id, occasion, ours, peers });
    }
  }
  return { compared: campaigns.length * occasions.length, awarded, differences };
}
