import {
  type BillLine,
  billOf,
  dollarsOf,
  invocationsOf,
  queueMessagesOf,
  standingBill,
  writeUnitsOf,
} from '../../cost/bill.ts';
import { counted, journeyNames } from '../../cost/counted.ts';
import { assumptions, type Load, loads, type Price, prices, pricesCheckedIn } from '../../cost/prices.ts';
import { code, table } from './tables.ts';

/** Sections of docs/cost.md: counts, bills and prices. */

const million = 1_000_000;
const { journeys, resources } = counted;
const both: readonly Load[] = [loads.single, loads.busy];

const dollars = (amount: number): string => `$${amount.toFixed(2)}`;
const figure = (amount: number): string => String(Number(amount.toFixed(1)));

/** The quantities that each journey needs, by kind of unit. */
export function journeyCountTable(): string[] {
  const rows = journeyNames.map((name) => {
    const count = journeys[name];
    return [
      name,
      figure(count.requests),
      both.map((load) => figure(writeUnitsOf(count, load))).join(' / '),
      figure(count.events),
      figure(queueMessagesOf(count)),
      figure(count.webhooks),
      both.map((load) => figure(invocationsOf(count, load))).join(' / '),
    ];
  });
  return table(['journey', 'requests', 'write units', 'events', 'messages', 'webhooks', 'invocations'], rows);
}

/** The messages, read units and write units that each function needs for a purchase. */
export function purchaseFunctionTable(): string[] {
  const rows = Object.entries(journeys.purchase.functions).map(([name, count]) => [
    name,
    figure(count.messages),
    figure(count.readUnits),
    figure(count.writeUnits),
  ]);
  return table(['function', 'messages', 'read units', 'write units'], rows);
}

/** What a million of each journey costs in dollars, with a row for each item of the bill. */
export function billTable(): string[] {
  const bills = journeyNames.map((name) => both.map((load) => billOf(journeys[name], load, resources.memoryMb)));
  const items = bills[0]?.[0]?.map(({ item }) => item) ?? [];
  const cell = (lines: (load: number) => readonly BillLine[]) =>
    both.map((_, load) => dollars(dollarsOf(lines(load), million))).join(' / ');
  const rows = items.map((item) => [
    item,
    ...bills.map((bill) => cell((load) => bill[load]?.filter((line) => line.item === item) ?? [])),
  ]);
  const totals = bills.map((bill) => `**${cell((load) => bill[load] ?? [])}**`);
  return table(['per million', ...journeyNames], [...rows, ['**all in**', ...totals]]);
}

/** Dollars per month of a stage that receives no requests. */
export function standingTable(): string[] {
  const lines = standingBill(counted);
  const rows = lines.map((line) => [line.item, figure(line.quantity), dollars(dollarsOf([line], 1))]);
  return table(['per month', 'quantity', 'dollars'], [...rows, ['**all**', '', `**${dollars(dollarsOf(lines, 1))}**`]]);
}

export function priceTable(): string[] {
  const entries = Object.entries<Price>(prices);
  const rows = entries.map(([name, { dollars: amount, per, unit, source }]) => [
    code(name),
    `$${amount}`,
    `${per === 1 ? '' : `${per.toLocaleString('en')} `}${unit}`,
    `[${source}](https://${source}), ${pricesCheckedIn}`,
  ]);
  return table(['price', 'dollars', 'per', 'source'], rows);
}

export function assumptionTable(): string[] {
  const shared = both.map(({ title, streamBatch, queueBatch }) => [
    title,
    `${streamBatch} records of the stream in one invocation; ${queueBatch} messages in one receive, delete and invocation`,
  ]);
  const rows = Object.entries(assumptions).map(([name, value]) => [code(name), String(value)]);
  return [...table(['load', 'shared'], shared), '', ...table(['assumption', 'value'], rows)];
}
