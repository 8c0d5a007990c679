import type { Campaign, Flow } from '../../../shared/domain/campaign/document/campaign.ts';
import { textOf } from '../../../shared/domain/campaign/document/kinds/phrase.ts';
import {
  actionWords,
  flowSentence,
  type SentenceContext,
  triggerWords,
} from '../../../shared/domain/campaign/words/flow-sentence.ts';
import { localMoment } from '../cli/moments.ts';
import { count, facts, section } from '../cli/text.ts';
import type { TierName } from './parts.ts';

/** A version of a campaign in words. The sentences come from the domain, and the words of parts from their kinds. */

/** The time zone of a campaign's partnership, and the names of its sides and of the status tiers of its program. */
interface WordsContext {
  readonly timeZone: string;
  readonly tierName: TierName;
  readonly nameOf: (organisationId: number) => string;
}

/** Describes the schedule, the flows and the goals, with times in the time zone of the partnership. */
export function campaignWords(campaign: Campaign, { timeZone, tierName, nameOf }: WordsContext): string {
  const { description, type, startsAt, endsAt, flows, goals } = campaign;
  const context = { ...campaign, names: { tier: tierName, organisation: nameOf } };
  return [
    facts({
      type,
      description,
      starts: localMoment(startsAt, timeZone),
      ends: endsAt === null ? 'when it is ended' : localMoment(endsAt, timeZone),
    }),
    ...flows.map((flow) => section(`Flow ${flow.id}`, flowLines(flow, context).join('\n'))),
    ...(goals.length > 0
      ? [section('Goals', goals.map((goal) => `${inWords(goal.type)}: ${count(goal.target)}`).join('\n'))]
      : []),
  ].join('\n');
}

function flowLines(flow: Flow, context: SentenceContext): string[] {
  return [
    textOf(flowSentence({ ...flow }, '', context)),
    ...flow.actions.map(({ id, ownerId }) => `Action ${id} belongs to organisation ${ownerId}.`),
  ];
}

/** Names a flow by what it gives: `the program gives 2 points per $1`. */
export function flowName({ actions, trigger }: Flow, context: Omit<SentenceContext, 'names'>): string {
  const named = { ...context, names: {} };
  const sentences = actions.map((action) => textOf(actionWords({ ...action }, trigger, '', named)));
  return sentences.join(', ') || textOf(triggerWords(trigger, '', named));
}

/** `points earned`, from `POINTS_EARNED` */
const inWords = (name: string) => name.toLowerCase().replaceAll('_', ' ');
