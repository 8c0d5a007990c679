import { programMs } from '../../../shared/contracts/limits.ts';
import type { Posting } from '../../../shared/domain/ledger/posting.ts';
import type { Review, RewardTransaction } from '../../../shared/domain/ledger/reward-transaction.ts';
import { isCounted } from '../../../shared/domain/ledger/velocity.ts';
import { localMoment } from '../cli/moments.ts';
import { count, counted } from '../cli/text.ts';

/**
 * Explains the answer of the loyalty program, or what the platform does until the program answers.
 *
 * @param settledPoints the points that the transaction gave back and that settled what the member owed; 0 for none
 */
export function programLines(transaction: RewardTransaction, program: NamedProgram, settledPoints = 0): string[] {
  return [
    ...reviewLines(transaction, program),
    ...answerLines(transaction, program),
    ...settlementLines(transaction, program, settledPoints),
  ];
}

/** The name of a loyalty program, and the time zone of the partnership, in which times are shown. */
export interface NamedProgram {
  readonly name: string;
  readonly timeZone: string;
}

/** Explains why the reward was held for review, and what an operator decided or can still decide. */
function reviewLines({ id, review }: RewardTransaction, { timeZone }: NamedProgram): string[] {
  if (!review) return [];
  const { heldAt, breaches, end } = review;
  const cause =
    breaches.length > 0
      ? breaches.map(breachText).join('; ')
      : 'the member, or the account in the program, was blocked';
  const decision = end?.outcome === 'RELEASED' ? 'released' : 'refused';
  return [
    `It was held for review on ${localMoment(heldAt, timeZone)}: ${cause}.`,
    end
      ? `${end.operator ?? 'An operator'} ${decision} it on ${localMoment(end.at, timeZone)}: ${end.reason}.`
      : `To let it go on: npm run admin -- transaction release ${id} --reason "…". To end it: npm run admin -- transaction refuse ${id} --reason "…"`,
  ];
}

/** `rule REWARDS_PER_DAY allows 5, and 5 were counted in 2026-11-21 (UTC), so there was no room for 1 more` */
const breachText = ({ rule, most, used, window, amount }: Review['breaches'][number]) =>
  !isCounted({ window })
    ? `rule ${rule} allows ${count(most)}, and this reward is ${count(amount)}`
    : `rule ${rule} allows ${count(most)}, and ${count(used)} were counted in ${window} (UTC), so there was no room for ${count(amount)} more`;

function answerLines(transaction: RewardTransaction, named: NamedProgram): string[] {
  const { name: program, timeZone } = named;
  const { state, posting, completedAt, programReference, failureReason = 'no reason is known' } = transaction;
  const attempts = posting && posting.attempts > 1 ? ` at attempt ${posting.attempts}` : '';
  const isRefused = transaction.review?.end?.outcome === 'REFUSED';
  const at = completedAt === undefined ? '' : ` on ${localMoment(completedAt, timeZone)}`;
  const reference = programReference === undefined ? '' : ` Its reference is ${programReference}.`;
  switch (state) {
    case 'INITIATED':
      return [`The token is not spent yet: ${program} has not received the transaction.`];
    case 'CANCELLED':
      return ['The token expired unspent, or another one replaced it. What it held and used of limits was released.'];
    case 'PENDING':
      return posting ? waitingLines(posting, named) : [`${program} has not received it yet.`];
    case 'HELD':
      return [`${program} has not received it: it waits for the review.`];
    case 'COMPLETED':
    case 'REVERSED':
      return [`${program} confirmed it${at}${attempts}.${reference}`];
    case 'FAILED':
      return [
        ...(isRefused ? [] : [`${program} rejected it${attempts}: ${failureReason}.`]),
        `${effectOfFailure(transaction)}.`,
      ];
    case 'ERROR':
      return errorLines(transaction, named);
  }
}

/**
 * Explains a transaction that the program has not answered: what it waits for, and when the platform asks the program
 * next.
 */
function waitingLines(
  { attempts, startedAt, dueAt, acceptedAt, problem }: Posting,
  { name: program, timeZone }: NamedProgram,
): string[] {
  const next = `The next attempt is due on ${localMoment(dueAt, timeZone)}`;
  if (acceptedAt !== undefined) {
    const end = endOf(acceptedAt, programMs.answerTime, timeZone);
    return [
      `${program} accepted it on ${localMoment(acceptedAt, timeZone)}, and has not decided yet.`,
      `${next}: the platform asks for the decision. Without one by ${end} the transaction is in ERROR.`,
    ];
  }
  if (attempts === 0) {
    return [
      `Requests to ${program} pause, because it does not answer: it has not received the transaction.`,
      `${next}.`,
    ];
  }
  const tried = `${counted(count(attempts), 'attempt')} since ${localMoment(startedAt, timeZone)}`;
  if (problem === undefined) return [`${tried}: the answer of ${program} is not recorded yet.`, `${next}.`];
  return [
    `${program} has not answered in ${tried}: ${problem}. It may have moved the points or not.`,
    `${next}: the platform asks before it posts again. Without an answer by ${endOf(startedAt, programMs.postingTime, timeZone)} the transaction is in ERROR.`,
  ];
}

const endOf = (from: string, durationMs: number, timeZone: string) =>
  localMoment(new Date(Date.parse(from) + durationMs).toISOString(), timeZone);

function errorLines(
  { id, partnerId, posting }: RewardTransaction,
  { name: program, timeZone }: NamedProgram,
): string[] {
  const tried = posting ? ` in ${counted(count(posting.attempts), 'attempt')}` : '';
  const problem = posting?.problem === undefined ? '' : `: ${posting.problem}`;
  return [
    posting?.acceptedAt === undefined
      ? `${program} gave no answer${tried}${problem}. Its time is over.`
      : `${program} accepted it on ${localMoment(posting.acceptedAt, timeZone)} and never decided. Its time is over.`,
    'It may have moved the points, so the platform has released nothing.',
    `Once the program answers: npm run admin -- program retry ${partnerId} --transaction ${id}`,
  ];
}

/** The effect of a rejection for the member. */
function effectOfFailure({ type, reverses, isRestoration = false }: RewardTransaction): string {
  if (!reverses) {
    return type === 'EARN'
      ? 'Nothing was earned, and what it used of limits was released'
      : 'The held points are available again';
  }
  if (isRestoration) return 'Nothing was restored';
  return type === 'EARN' ? 'The member keeps the points' : 'The points were not returned';
}

function settlementLines(
  { settlementPostedAt }: RewardTransaction,
  { name: program, timeZone }: NamedProgram,
  points: number,
): string[] {
  if (points === 0) return [];
  const amount = counted(count(Math.abs(points)), 'point');
  const answer =
    settlementPostedAt === undefined
      ? `${program} has not answered to this yet`
      : `${program} received this on ${localMoment(settlementPostedAt, timeZone)}`;
  return [
    points < 0
      ? `${amount} that came back settled what the member owed. ${answer}.`
      : `${amount} that had settled a debt were returned, because the debt is void. ${answer}.`,
  ];
}
