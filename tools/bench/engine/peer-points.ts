import type { PeerFacts } from './peer-facts.ts';

/** What an event of the peer carries: all that points are reckoned from. */
export interface Award {
  readonly campaignId: number;
  readonly pointsPerDollarBp: number | undefined;
  readonly pointsPerEvent: number;
  readonly multipliers: readonly {
    /** The workload's factors are whole numbers of halves: doubles hold what comes of them exactly. */
    readonly halves: number;
    readonly isWanted: boolean;
    readonly tiers?: readonly number[];
    readonly channels?: readonly string[];
  }[];
  readonly mostCents: number;
  readonly mostPoints: number;
  readonly pointLimitIds: readonly number[];
}

/** The points of an award, without a word of why. */
export function pointsOf(award: Award, facts: PeerFacts): number {
  let [factor, unit] = [1, 1];
  for (const { halves, isWanted, tiers, channels } of award.multipliers) {
    const isIn = tiers
      ? facts.statusTierId !== null && tiers.includes(facts.statusTierId)
      : facts.channel.some((value) => channels?.includes(value));
    if (isIn !== isWanted) continue;
    factor *= halves;
    unit *= 2;
  }
  const points =
    award.pointsPerDollarBp === undefined
      ? Math.floor((award.pointsPerEvent * factor) / unit)
      : Math.floor(
          (Math.min(facts.amountCents ?? 0, award.mostCents) * award.pointsPerDollarBp * factor) / (1_000_000 * unit),
        );
  return Math.min(points, award.mostPoints, ...award.pointLimitIds.map((id) => facts.left[id] ?? 0));
}
