import { consumers } from '../../../functions/consumers.ts';
import type { BusSource, Consumer, StreamSource } from '../../../shared/contracts/consumer.ts';
import { entityTypes, eventEntities, eventNames } from '../../../shared/contracts/events.ts';
import { isWrite } from './access.ts';
import { code, type LinkTo, table } from './markdown.ts';

/** Sections about the consumers, made from their declarations. */

const everyEvent = 'every event of webhooks';

const eventsOf = ({ pattern }: BusSource) => [pattern['detail-type']].flat().map(String);

const receivesEveryEvent = (source: BusSource) => eventNames.every((name) => eventsOf(source).includes(name));

/** What the partition keys begin with that a stream's filters let through. */
function prefixesOf({ filters }: StreamSource): string[] {
  return [...JSON.stringify(filters).matchAll(/"prefix":"([^"]+)"/g)].map(([, prefix = '']) => prefix);
}

export function consumerTable(linkTo: LinkTo): string[] {
  const rows = consumers.map(({ name, source, impact }) => [
    `[${name}](${linkTo(`functions/consumers/${name}/handler.ts`)})`,
    sourceText(source),
    impact,
  ]);
  return table(['consumer', 'receives', 'impact of a failure'], rows);
}

/** The texts of the consumers' alarms, each with the section of the page that says what to do. */
export function impactTable(): string[] {
  return table(
    ['text of the alarm', 'section'],
    consumers.map(({ name, impact }) => [impact, `[${name}](#${name})`]),
  );
}

function sourceText(source: Consumer['source']): string {
  switch (source.kind) {
    case 'stream':
      return `stream: ${code(...prefixesOf(source))}`;
    case 'bus':
      return receivesEveryEvent(source) ? everyEvent : code(...eventsOf(source));
    case 'queue':
      return `the queue ${code(source.queue)}`;
    case 'schedule':
      return code(source.every);
  }
}

export function eventTable(): string[] {
  const sources = consumers.flatMap(({ name, source }) => (source.kind === 'bus' ? [{ name, source }] : []));
  const receivers = (event: string) =>
    sources.flatMap(({ name, source }) => (eventsOf(source).includes(event) ? [name] : [])).join(', ');

  const external = eventNames.map((event) => ({ event, entity: entityName(eventEntities[event]) }));
  const internal = sources
    .flatMap(({ source }) => eventsOf(source))
    .filter((event) => !(event in eventEntities))
    .map((event) => ({ event, entity: 'internal' }));
  return table(
    ['event', 'entity', 'received by'],
    [...external, ...internal].map(({ event, entity }) => [code(event), entity, receivers(event)]),
  );
}

function entityName(type: number): string {
  const [name = ''] = Object.entries(entityTypes).find(([, number]) => number === type) ?? [];
  return `${type} ${name}`;
}

/** The diagram of everything that a request and its events pass through. */
export function queueDiagram(): string[] {
  return [
    '```mermaid',
    'flowchart LR',
    '  caller([merchant or partner]) -->|HTTPS| api["six REST APIs,<br/>one per host"]',
    '  api --> endpoints["one Lambda<br/>per endpoint"] --> table[("one<br/>DynamoDB table")]',
    '  bus{{EventBridge bus}}',
    ...consumers.flatMap(edgesOf).map((edge) => `  ${edge}`),
    '```',
  ];
}

/** What leads to a consumer, and what it leads to. */
function edgesOf({ name, source, access, sendsTo = [], publishes, schedules }: Consumer): string[] {
  const targets = [
    ...(Object.values(access.table).flat().some(isWrite) ? ['table'] : []),
    ...sendsTo.map((queue) => `${queue}-queue`),
    ...(publishes ? ['bus'] : []),
    ...(schedules ? ['schedules([one-time schedules])'] : []),
  ];
  return [
    [sourceEdge(name, source), targets.join(' & ')].filter((end) => end !== '').join(' --> '),
    ...(schedules ? ['schedules --> bus'] : []),
    ...(source.kind === 'queue' ? [`${name} -->|signed POST| receiver([subscribed endpoint])`] : []),
  ];
}

function sourceEdge(name: string, source: Consumer['source']): string {
  switch (source.kind) {
    case 'stream':
      return `table -->|"stream: ${prefixesOf(source).join(' ')}"| ${name}`;
    case 'bus':
      return `bus -->|${receivesEveryEvent(source) ? everyEvent : eventsOf(source).join(' ')}| ${name}-queue[[queue]] --> ${name}`;
    case 'queue':
      return `${source.queue}-queue[[${source.queue} queue]] --> ${name}`;
    case 'schedule':
      return `${name}-clock(["${source.every}"]) --> ${name}`;
  }
}
