import type { RelayedEvent } from '../../shared/contracts/events.ts';
import { timingMs } from '../../shared/contracts/limits.ts';
import { findMismatches, mismatchText } from '../../shared/domain/reconciliation/invariants.ts';
import { pendingPayment } from '../../shared/domain/reconciliation/pending.ts';
import { BookBuilder } from '../../shared/operations/reconcile/book-builder.ts';
import { checkPurchase } from '../../shared/operations/reconcile/check-purchase.ts';
import { purchasesIn } from '../../shared/operations/reconcile/check-purchases.ts';
import { isPayment, parsePayment } from '../../shared/store/payment/payments.ts';
import type { Item } from '../../shared/store/table/table-client.ts';
import type { Fact, Outcome } from './facts.ts';
import { expected } from './oracle.ts';
import { type Delivery, openingPoints, rates, rest, type Scene } from './scene.ts';
import { type StatementName, statements } from './statements.ts';

/**
 * Plays every sequence of the statements of some sets, with at most one statement twice. The sequences are a tree: a
 * common beginning is played once. Every node of the tree is a history that is over: all consumers have run until
 * nothing is left to do, and the outcome is compared with the oracle's. So all sequences of one set have to end alike.
 */

/** When consumers run: after each statement, or only after the last one; and how they receive events. */
export const paces = {
  'step by step': { isStepwise: true, first: 'oldest', isRepeated: false },
  'every event twice': { isStepwise: true, first: 'oldest', isRepeated: true },
  'at the end': { isStepwise: false, first: 'oldest', isRepeated: false },
  'at the end, every event twice': { isStepwise: false, first: 'oldest', isRepeated: true },
  'at the end, latest first': { isStepwise: false, first: 'latest', isRepeated: false },
} as const satisfies Record<string, Delivery & { readonly isStepwise: boolean }>;
export type Pace = keyof typeof paces;

/** Decides which histories are played. */
export interface Plan {
  readonly sets: readonly (readonly StatementName[])[];
  /** The most different statements of a history. */
  readonly most: number;
  readonly pace: Pace;
  /** The names of known differences: the walk ends at the first difference that is not among them. */
  readonly known?: ReadonlySet<string> | undefined;
  /** Whether every history is reconciled, too, hours after its end. */
  readonly isReconciled?: boolean;
  /**
   * Whether the last statement of every history loses its events. Then a reconciliation has to find what is missing,
   * unless nothing is.
   */
  readonly isLast?: 'lost';
  /** Whether the walk enters a history and its continuations; by default, it enters all. */
  readonly enters?: (history: readonly StatementName[]) => boolean;
}

/** Histories of one set of accepted statements that end in the same way, and not as the oracle expects. */
export interface Difference {
  readonly set: string;
  readonly expected: string;
  readonly found: string;
  /** The shortest of these histories. */
  readonly history: string;
  readonly count: number;
}

export interface Played {
  histories: number;
  /** Statements that the platform refused, as it may. Such a sequence is not continued. */
  refused: number;
  /** The sets of accepted statements. */
  readonly sets: Set<string>;
  readonly differences: Map<string, Difference>;
}

/** A node of the tree. */
interface Node {
  readonly history: readonly StatementName[];
  /** The accepted statements with their facts. */
  readonly facts: ReadonlyMap<StatementName, Fact>;
  readonly hasTwin: boolean;
}

export async function playAll(scene: Scene, plan: Plan): Promise<Played> {
  const played = { histories: 0, refused: 0, sets: new Set<string>(), differences: new Map<string, Difference>() };
  await playAfter({ history: [], facts: new Map(), hasTwin: false }, scene, plan, played);
  return played;
}

async function playAfter(before: Node, scene: Scene, plan: Plan, played: Played): Promise<void> {
  for (const name of nextOf(before, plan)) {
    if (plan.known && played.differences.size > 0) return;
    if (plan.enters && !plan.enters([...before.history, name])) continue;
    const goBack = scene.snapshot();
    const node = await play(name, before, scene);
    if (node) {
      await end(node, scene, plan, played);
      await playAfter(node, scene, plan, played);
    } else played.refused += 1;
    goBack();
  }
}

/** Ends a history: its consumers run, and its outcome is compared. Other statements continue from where the pace says. */
async function end(node: Node, scene: Scene, plan: Plan, played: Played): Promise<void> {
  if (plan.isLast === 'lost') await checkLoss(node, scene, plan, played);
  const pace = paces[plan.pace];
  const resume = pace.isStepwise ? undefined : scene.snapshot();
  await rest(scene, pace);
  await check(node, scene, plan, played);
  resume?.();
}

/** The statements that may come next. */
function nextOf({ facts, hasTwin }: Node, { sets, most }: Plan): StatementName[] {
  const said = [...facts.keys()];
  const possible = sets.filter((set) => said.every((name) => set.includes(name))).flat();
  return [...new Set(possible)].filter((name) => (facts.has(name) ? !hasTwin : said.length < most));
}

/** Makes a statement. Returns undefined when the platform refused a new one. A second time, nothing new may happen. */
async function play(name: StatementName, { history, facts, hasTwin }: Node, scene: Scene): Promise<Node | undefined> {
  scene.steps.next();
  const isTwin = facts.has(name);
  const next = { history: [...history, name], facts, hasTwin: hasTwin || isTwin };
  try {
    const fact = await statements[name].play(scene, [...facts.values()]);
    if (isTwin) return next;
    return fact && { ...next, facts: new Map(facts).set(name, fact) };
  } catch (error) {
    scene.stuck.push(`${name}: ${error}`);
    return next;
  }
}

async function check({ history, facts }: Node, scene: Scene, plan: Plan, played: Played): Promise<void> {
  played.histories += 1;
  const set = [...facts.keys()].sort().join(', ');
  played.sets.add(set);
  const wanted = textOf(expected([...facts.values()], rates), []);
  const found = textOf(outcomeOf(scene), [
    ...problemsOf(scene),
    ...(plan.isReconciled ? await violationsOf(scene) : []),
  ]);
  if (found === wanted) return;
  const name = [set, wanted, found].join('\n');
  if (plan.known?.has(name)) return;
  const known = played.differences.get(name) ?? {
    ...{ set, expected: wanted, found, history: history.join(' → '), count: 0 },
  };
  played.differences.set(name, { ...known, count: known.count + 1 });
}

/** The events that make a consumer settle a purchase. */
const settling: ReadonlySet<string> = new Set([
  'order_received',
  'payment_changed',
  'refund_received',
  'purchase_changed',
]);

/** Loses the events of the last statement, and compares what is missing with what a reconciliation finds. */
async function checkLoss({ history, facts }: Node, scene: Scene, plan: Plan, played: Played): Promise<void> {
  const goBack = scene.snapshot();
  const deliver = (event: RelayedEvent) => (settling.has(event.name) ? undefined : scene.consumers.deliver(event));
  await rest({ ...scene, consumers: { ...scene.consumers, deliver } }, paces[plan.pace]);
  const [wanted, found] = [textOf(expected([...facts.values()], rates), []), textOf(outcomeOf(scene), [])];
  const reported = [...(await violationsOf(scene)), ...problemsOf(scene), ...undecidedOf(scene)];
  if (found !== wanted && reported.length === 0) {
    const name = `${history.join(' → ')}, lost`;
    played.differences.set(name, { set: name, history: name, expected: wanted, found, count: 1 });
  }
  goBack();
}

/** Payments that no settlement has read. The command `reconcile` reports them as pending. */
const undecidedOf = ({ table }: Scene): string[] =>
  table.items().flatMap((item) => (isPayment(item) ? (pendingPayment(parsePayment(item))?.subject ?? []) : []));

const textOf = ({ points, cashback, spend }: Outcome, problems: readonly string[]) =>
  [`${points} points, ${cashback} ¢ cashback, ${spend} ¢ spend`, ...problems].join('; ');

function outcomeOf({ table, userId, merchantId, partnerId }: Scene): Outcome {
  const account = table.item({ pk: `USER#${userId}`, sk: `PROGRAM#${partnerId}` });
  const spend = table.item({ pk: `USER#${userId}`, sk: `SPEND#${merchantId}#${partnerId}` });
  const numberOf = (item: Item | undefined, name: string) => Number(item?.[name] ?? 0);
  return {
    points: numberOf(account, 'availablePoints') - numberOf(account, 'owedPoints') - openingPoints,
    cashback: numberOf(account, 'cashbackCents'),
    spend: numberOf(spend, 'spentCents'),
  };
}

const unfinished: ReadonlySet<unknown> = new Set(['INITIATED', 'ISSUED', 'PENDING', 'HELD', 'ERROR']);

/** What is not over although nothing is left to do. */
function problemsOf({ table, stuck }: Scene): string[] {
  const items = table.items();
  // The item of a refund stays PENDING; what is applied of it stands with its order or claim.
  const pending = items.filter(({ sk, state }) => unfinished.has(state) && !sk.startsWith('REFUND#'));
  const unapplied = items.filter(
    ({ refundedCents = 0, refundsAppliedCents = 0 }) => refundedCents !== refundsAppliedCents,
  );
  const nameOf = ({ pk, sk }: Item) => `${pk.split('#', 1)} ${sk.split('#', 1)}`;
  return [
    ...stuck,
    ...pending.map((item) => `${nameOf(item)} is ${item.state}`),
    ...unapplied.map((item) => `${nameOf(item)} has refunds that are not applied`),
  ];
}

/** What both reconciliations find in the end, when everything is old enough for them. */
async function violationsOf({ table, platform, steps }: Scene): Promise<string[]> {
  const books = new BookBuilder();
  for (const item of table.items()) books.add(item);
  const later = new Date(steps.sources.now().getTime() + 2 * timingMs.uncountedSpend);
  const deps = { ...platform, now: () => later };
  const purchases = purchasesIn(books);
  const found = await Promise.all(purchases.map((report) => checkPurchase(report, deps)));
  return [...found.flat(), ...findMismatches(books, later)].map(mismatchText);
}
