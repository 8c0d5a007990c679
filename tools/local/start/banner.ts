import type { Demo, PlatformFile } from './state.ts';

interface BannerFacts {
  /** Path of platform.json. */
  readonly file: string;
  readonly logs: string;
  /** Duration of the start. */
  readonly seconds: string;
  /** The folder that keeps tables and queues; undefined when they are in memory only. */
  readonly keptIn: string | undefined;
}

/** Builds the text that `npm start` prints when the platform runs. */
export function buildBanner(
  { hosts, sites, aws, reference, demo }: PlatformFile,
  { file, logs, seconds, keptIn }: BannerFacts,
): string {
  const services: [string, string][] = [
    ['DynamoDB', `aws dynamodb scan --table-name ${aws.table} --endpoint-url ${aws.dynamodb}`],
    ['SQS', `aws sqs list-queues --endpoint-url ${aws.sqs}`],
    ['EventBridge', `aws events list-rules --event-bus-name ${aws.bus} --endpoint-url ${aws.events}`],
    ['Scheduler', `aws scheduler list-schedules --endpoint-url ${aws.scheduler}`],
    ['Secrets', `aws secretsmanager list-secrets --endpoint-url ${aws.secrets}`],
  ];
  const guides: [string, string][] = [
    ['in a browser', `${reference} (every endpoint, to read and to try)`],
    ['partner guide', 'docs/partner-guide.md (a merchant integrates, step by step)'],
    ['first program', 'docs/first-program.md (an operator takes on a merchant and a program)'],
    ['OpenAPI', 'docs/api/openapi.json'],
  ];
  const sections = [
    `The Rewards Platform runs. It started in ${seconds} s.`,
    ...(sites.dashboard ? [`The dashboard\n${formatDashboard(sites.dashboard, demo)}`] : []),
    `Hosts\n${formatRows(Object.entries(hosts))}`,
    `The API\n${formatRows(guides)}`,
    ...(demo.members ? [`The demonstration\n${formatCredentials(demo)}`] : []),
    `AWS calls, with any credentials and region ${aws.region}\n${formatRows(services)}`,
    `Next\n${formatNextSteps(demo, hosts.base)}`,
    `Addresses and credentials are in ${file}, the functions' logs in ${logs}. ${formatEnd(keptIn)}`,
  ];
  return `\n${sections.join('\n\n')}\n`;
}

const formatEnd = (keptIn: string | undefined) =>
  keptIn === undefined
    ? 'Ctrl-C ends the platform and deletes its tables and queues; with --persist they stay.'
    : `Ctrl-C ends the platform; its tables and queues stay in ${keptIn}.`;

/** Builds the text that `npm start` prints when the platform has ended. */
export function buildFarewell(keptIn: string | undefined): string {
  return keptIn === undefined
    ? 'The platform has ended. Its tables and queues were in memory only and are deleted.'
    : `The platform has ended. Its tables and queues are in ${keptIn} for the next start with --persist.`;
}

function formatRows(entries: readonly (readonly [string, string])[]): string {
  const width = Math.max(...entries.map(([name]) => name.length));
  return entries.map(([name, value]) => `  ${name.padEnd(width)}  ${value}`).join('\n');
}

function formatDashboard(url: string, { people: [person] = [] }: Demo): string {
  const rows: [string, string][] = [['open', `${url}/`]];
  if (person) {
    const { name, roles, organisation } = person;
    rows.push(['sign in as', `${name}, ${roles.join(' and ')} of ${organisation} (one click, no password)`]);
  }
  return formatRows(rows);
}

function formatCredentials({ merchant, partner, members = [], program }: Demo): string {
  const organisations = Object.entries({ merchant, partner }).flatMap(([role, organisation]): [string, string][] =>
    organisation ? [[`${organisation.name} (${role} ${organisation.id})`, `x-api-key: ${organisation.apiKey}`]] : [],
  );
  const users = members.map(({ id, name, points, accessToken }): [string, string] => [
    `${name} (member ${id}, ${points === 0 ? 'in no program yet' : `${points} points`})`,
    `x-api-key: ${accessToken}`,
  ]);
  const books: [string, string][] = program
    ? [[`${partner?.name}'s own program`, `${program.url}/control/books (a server of its own, with its own books)`]]
    : [];
  return formatRows([...organisations, ...users, ...books]);
}

function formatNextSteps({ partner, members: [member] = [] }: Demo, base: string | undefined): string {
  const operate: [string, string] = ['npm run admin -- --help', "the operator's commands, on this platform"];
  if (!partner || !member) {
    return formatRows([['docs/first-program.md', 'this platform is empty: take on the first program'], operate]);
  }
  const steps = formatRows([
    ['npm run demo', 'the whole story, from a purchase to the webhook; every step is checked'],
    ['docs/try-it.md', 'the same by hand, with curl'],
    operate,
  ]);
  return `${steps}\n  curl -H 'x-api-key: ${partner.apiKey}' ${base}/users/${member.uuid}   # ${member.name}`;
}
