import * as z from 'zod/mini';
import { defaultMaximumReward } from '../contracts/limits.ts';

/**
 * At most this many rewards, points or cents of cashback for one account in one window. The window REWARD is one reward:
 * such a rule counts nothing. A program has one rule per unit and window.
 */
export const VelocityRule = z.object({
  unit: z.enum(['REWARDS', 'POINTS', 'CENTS']),
  window: z.enum(['HOUR', 'DAY', 'WEEK', 'REWARD']),
  most: z.int().check(z.gte(1)),
});
export type VelocityRule = z.infer<typeof VelocityRule>;

/** The rules of a new program: an absurd reward waits for a person. */
export const defaultVelocityRules: readonly VelocityRule[] = [
  { unit: 'CENTS', window: 'REWARD', most: defaultMaximumReward.cents },
  { unit: 'POINTS', window: 'REWARD', most: defaultMaximumReward.points },
];

/** Whether the release before rules about one reward can read a rule. */
const isOfEarlierForm = ({ unit, window }: VelocityRule): boolean => window !== 'REWARD' && unit !== 'CENTS';

/** The rules of a program. */
export const rulesOf = ({
  velocityRules = [],
  rewardRules = [],
}: Pick<Organisation, 'velocityRules' | 'rewardRules'>): VelocityRule[] => [...velocityRules, ...rewardRules];

/** The fields of an organisation that contain the rules of its program. */
export const withRules = (rules: readonly VelocityRule[]): Pick<Organisation, 'velocityRules' | 'rewardRules'> => ({
  velocityRules: rules.filter(isOfEarlierForm),
  rewardRules: rules.filter((rule) => !isOfEarlierForm(rule)),
});

/** A tenant: a merchant, or a partner that runs a loyalty program. */
export const Organisation = z.object({
  id: z.int(),
  name: z.string(),
  kind: z.enum(['MERCHANT', 'PARTNER']),
  /**
   * The loyalty program that holds a partner's points: the platform's own ledger if `hosted`, or a server of the
   * partner. The server follows the published contract.
   */
  program: z.nullable(
    z.discriminatedUnion('kind', [
      z.strictObject({ kind: z.literal('hosted') }),
      z.strictObject({ kind: z.literal('http'), baseUrl: z.string() }),
    ]),
  ),
  /** The rules by which rewards of a partner's program are held for review; absent without rules. */
  velocityRules: z.optional(z.array(VelocityRule)),
  /**
   * More rules of the same kind: those with a unit or window that the release before these rules cannot read. Both
   * releases use one table during a deployment.
   */
  rewardRules: z.optional(z.array(VelocityRule)),
  /** The URIs that the connect flow may redirect to. */
  redirectUris: z.array(z.string()),
  createdAt: z.string(),
  /** Counts edits, so that one of two simultaneous edits is refused. Absent before the first edit. */
  revision: z.optional(z.int()),
  /** When an operator deleted the organisation. The item stays, because the books name it. */
  deletedAt: z.optional(z.string()),
});
export type Organisation = z.infer<typeof Organisation>;
