import { consumers } from '../../../functions/consumers.ts';
import { contracts } from '../../../functions/contracts.ts';
import { managementResources } from '../../../functions/management/contracts.ts';
import type { BusSource, Consumer, StreamSource } from '../../../shared/contracts/consumer.ts';
import { type AnyContract, managementHost } from '../../../shared/contracts/contract.ts';
import { entityTypes, eventEntities, eventNames } from '../../../shared/contracts/events.ts';
import {
  isPartition,
  partitions,
  type TableAccess,
  type TableAction,
  tableIndexes,
} from '../../../shared/contracts/table.ts';

/** All endpoints: first those of the specification in its order, then the added ones. */
const orderedContracts = contracts
  .filter(({ name }) => name !== 'get-openapi')
  .sort((one, other) => position(one) - position(other) || one.name.localeCompare(other.name));

/** Returns the link to a file, relative to the page that the link is on. */
export type LinkTo = (file: string) => string;

/** Returns the lines of one generated part of a page. */
export type Section = (linkTo: LinkTo) => readonly string[];

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
}

/** Formats texts as code, separated by commas. */
export function code(...texts: readonly string[]): string {
  return texts.map((text) => `\`${text}\``).join(', ');
}

// The section about the table, made from the access that contracts and consumers declare.

function isWrite(action: TableAction): boolean {
  return /^(Put|Update|Delete)/.test(action);
}

interface User {
  readonly name: string;
  readonly access: TableAccess;
}

const users: readonly User[] = [
  ...orderedContracts.map((contract) => ({ name: endpointName(contract), access: contract.access })),
  ...consumers,
  ...Object.entries(managementResources).map(([resource, ofResource]) => ({
    name: `${managementHost}/${resource}`,
    access: joinAccess(ofResource.map((contract) => contract.access)),
  })),
];

/** The access of a function to which several contracts belong. */
function joinAccess(all: readonly TableAccess[]): TableAccess {
  const names = Object.keys(partitions).filter(isPartition);
  return {
    table: Object.fromEntries(names.map((name) => [name, all.flatMap(({ table: own }) => own[name] ?? [])])),
    indexes: all.flatMap(({ indexes = [] }) => indexes),
  };
}

/** For each partition, the functions that read and write it; for each index, the functions that query it. */
export function partitionTable(): string[] {
  const rows = Object.entries(partitions).map(([partition, prefix]) => [
    code(prefix),
    ...[(action: TableAction) => !isWrite(action), isWrite].map((wanted) =>
      namesOf(({ table }) =>
        Object.entries(table).some(([name, actions]) => name === partition && actions.some(wanted)),
      ),
    ),
  ]);
  const indexes = Object.keys(tableIndexes).map((index) => [
    `index ${code(index)}`,
    namesOf((access) => access.indexes?.some((name) => name === index) ?? false),
    '',
  ]);
  return table(['partition', 'read by', 'written by'], [...rows, ...indexes]);
}

function namesOf(wanted: (access: TableAccess) => boolean): string {
  return users.flatMap(({ name, access }) => (wanted(access) ? [name] : [])).join(', ');
}

// Sections about the consumers, made from their declarations.

const everyEvent = 'every event of webhooks';

/**
 * Returns the names of the events that a bus source takes. If its pattern names no events, returns the names of the
 * event sources.
 */
const eventsOf = ({ pattern }: BusSource) => [pattern['detail-type'] ?? pattern.source].flat().map(String);

const receivesEveryEvent = (source: BusSource) => eventNames.every((name) => eventsOf(source).includes(name));

/** The prefixes of the partition keys that pass the filters of a stream. */
function prefixesOf({ filters }: StreamSource): string[] {
  return [...JSON.stringify(filters).matchAll(/"prefix":"([^"]+)"/g)].map(([, prefix = '']) => prefix);
}

/** The texts of the consumers' alarms, each with the section of the runbook that describes the remedy. */
export function impactTable(): string[] {
  return table(
    ['text of the alarm', 'section'],
    consumers.map(({ name, impact }) => [impact, `[${name}](#${name})`]),
  );
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

/** The diagram of the path of a request and its events. */
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

/** The arrows that lead to a consumer, and those that begin there. */
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

// Sections about the endpoints, made from their contracts.

/** The specification's number of an endpoint; undefined for an endpoint that the platform adds. */
function specifiedNumber({ summary }: AnyContract): string | undefined {
  return /^Endpoint (\d+):/.exec(summary)?.[1];
}

/** The name of an endpoint in the pages: its number, or its own name when the platform adds it. */
function endpointName(contract: AnyContract): string {
  return specifiedNumber(contract) ?? contract.name;
}

function position(contract: AnyContract): number {
  return Number(specifiedNumber(contract) ?? Number.POSITIVE_INFINITY);
}

export function endpointTable(linkTo: LinkTo): string[] {
  const rows = orderedContracts.map((contract) => [
    specifiedNumber(contract) ?? 'added',
    contract.host,
    `[${code(`${contract.method} ${contract.path}`)}](${linkTo(`functions/${contract.host}/${contract.name}/contract.ts`)})`,
    contract.credential.kind,
    contract.permission ? code(contract.permission) : '',
    code(...Object.entries(contract.refusals).map(([identifier, status]) => `${status} ${identifier}`)),
  ]);
  const openApi = ['added', 'every', code('GET /openapi.json'), 'none', '', ''];
  return table(['endpoint', 'host', 'route', 'credential', 'permission', 'own refusals'], [...rows, openApi]);
}

/** The endpoints of the dashboard, by resource. */
export function managementTable(linkTo: LinkTo): string[] {
  const rows = Object.entries(managementResources).flatMap(([resource, contracts]) =>
    contracts.map((contract) => [
      resource,
      `[${code(`${contract.method} ${contract.path}`)}](${linkTo(`functions/management/${resource}/${contract.name}/contract.ts`)})`,
      contract.credential.kind,
      contract.permission ? code(contract.permission) : '',
      [contract.namesRevision && 'revision', contract.needsRecentSignIn && 'recent sign-in'].filter(Boolean).join(', '),
    ]),
  );
  return table(['resource', 'route', 'credential', 'permission', 'needs'], rows);
}

/** The replies to invalid, expired and forbidden credentials. Endpoints with the same replies share a row. */
export function credentialTable(): string[] {
  const groups = Map.groupBy(orderedContracts, ({ credential }) => credential);
  const rows = [...groups].map(([{ kind, invalid, expired, forbidden }, endpoints]) => [
    endpoints.map(endpointName).join(', '),
    kind,
    ...[invalid, expired, forbidden].map(({ status, identifier }) => code(`${status} ${identifier}`)),
  ]);
  const failures = ['missing, unknown, malformed, revoked', 'expired', 'other kind, or no permission'];
  return table(['endpoints', 'credential', ...failures], rows);
}
