import type { Fact, Outcome } from './facts.ts';

interface Rates {
  readonly pointsPerDollarBp: number;
  readonly cashbackBp: number;
  readonly pointValueMicros: number;
}

/** What the member should have after facts, whatever their order. Shares no code with the platform. */
export function expected(facts: readonly Fact[], rates: Rates): Outcome {
  const named = new Set(facts.flatMap((one) => (namesOrder(one) ? [one.payment] : [])));
  const purchases = Map.groupBy(facts, (one) => (one.payment && !named.has(one.payment) ? one.payment : 'the order'));
  const outcomes = [...purchases.values()].map((own) => ofPurchase(own, rates));
  const total = (part: keyof Outcome) => sum(outcomes, (one) => one[part]);
  return { points: total('points'), cashback: total('cashback'), spend: total('spend') };
}

const namesOrder = (fact: Fact) =>
  'order' in fact ? fact.order : fact.kind === 'named' || fact.kind === 'platform order';

const membersWord = ['token', 'order', 'named', 'paid'];
const namesMember = (fact: Fact) => ('guest' in fact ? !fact.guest : membersWord.includes(fact.kind));

function ofPurchase(facts: readonly Fact[], rates: Rates): Outcome {
  const paid = sum(all(facts, 'paid'), cents);
  const left = 1 - Math.min(1, Math.max(byMerchant(facts), byPlatforms(facts)));
  const money = facts.some(namesMember) ? floor(moneyOf(facts, paid) * left) : 0;
  const floors = all(facts, 'reversal');
  const earned = floor((money * rates.pointsPerDollarBp) / 1_000_000) - sum(floors, ({ points }) => points);
  const cashback = floor((money * rates.cashbackBp) / 10_000) - sum(floors, (one) => one.cashback);
  const returned = sum(all(facts, 'redemption refund'), cents) / (paid || 1);
  const redeemed = 0 - floor((0 - floor(paid * Math.max(0, left - returned)) * 10_000) / rates.pointValueMicros);
  return { points: Math.max(0, earned) - redeemed, cashback: Math.max(0, cashback), spend: money };
}

/** The money of the purchase: of the first source that exists. */
function moneyOf(facts: readonly Fact[], paid: number): number {
  const token = Math.max(0, ...all(facts, 'token').map(cents));
  if (token > 0) return Math.max(0, token - paid);
  const [order] = all(facts, 'order');
  if (order) return (order.eligible * Math.max(0, order.total - paid)) / order.total;
  const [stated] = all(facts, 'platform order');
  if (!stated) return sum(all(facts, 'capture'), ({ eligible }) => eligible);
  return (stated.eligible * Math.min(captured(facts), stated.total)) / stated.total;
}

function byMerchant(facts: readonly Fact[]): number {
  const failed = idsOf(facts, 'failed refund');
  const totalOf = (refund: Of<'merchant refund'>) => {
    if (!('of' in refund)) return captured(facts.filter(({ payment }) => payment === refund.payment));
    return refund.of === 'order' ? sum(all(facts, 'order'), ({ total }) => total) : sum(all(facts, 'token'), cents);
  };
  const counted = all(facts, 'merchant refund').filter(({ id }) => !failed.has(id));
  return sum(counted, (refund) => refund.cents / totalOf(refund));
}

function byPlatforms(facts: readonly Fact[]): number {
  const payments = Map.groupBy(facts, ({ payment = '' }) => payment);
  return sum([...payments.values()], returnedOf) / (captured(facts) || 1);
}

/** The cents of one payment that are back or away. */
function returnedOf(facts: readonly Fact[]): number {
  const [failed, won] = [idsOf(facts, 'failed refund'), idsOf(facts, 'won')];
  const single = all(facts, 'refund').filter(({ id }) => !failed.has(id));
  const running = Math.max(0, ...all(facts, 'refunded').map(cents)) - sum(all(facts, 'failed refund'), cents);
  const away = all(facts, 'dispute').filter(({ id }) => !won.has(id));
  return Math.min(captured(facts), Math.max(sum(single, cents), running) + sum(away, cents));
}

type Of<Kind> = Extract<Fact, { kind: Kind }>;
const all = <Kind extends Fact['kind']>(facts: readonly Fact[], kind: Kind) =>
  facts.filter((one): one is Of<Kind> => one.kind === kind);
const idsOf = (facts: readonly Fact[], kind: 'failed refund' | 'won') => new Set(all(facts, kind).map(({ id }) => id));
const captured = (facts: readonly Fact[]) => sum(all(facts, 'capture'), cents);
const cents = (fact: { readonly cents: number }) => fact.cents;
const sum = <One>(ones: readonly One[], amount: (one: One) => number) =>
  ones.reduce((total, one) => total + amount(one), 0);
/** Quotients of whole numbers are either whole or further than this from the next whole number. */
const floor = (amount: number) => Math.floor(amount + 1e-7);
