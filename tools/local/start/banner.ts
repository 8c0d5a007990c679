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
  { hosts, aws, reference, demo }: PlatformFile,
  { file, logs, seconds, keptIn }: BannerFacts,
): string {
  const services: [string, string][] = [
    ['DynamoDB', `aws dynamodb scan --table-name ${aws.table} --endpoint-url ${aws.dynamodb}`],
    ['SQS', `aws sqs list-queues --endpoint-url ${aws.sqs}`],
    ['EventBridge', `aws events list-rules --event-bus-name ${aws.bus} --endpoint-url ${aws.events}`],
    ['Scheduler', `aws scheduler list-schedules --endpoint-url ${aws.scheduler}`],
    ['Secrets', `aws secretsmanager list-secrets --endpoint-url ${aws.secrets}`],
  ];
  const sections = [
    `The Rewards Platform runs. It started in ${seconds} s.`,
    `Hosts\n${formatRows(Object.entries(hosts))}`,
    `Read and try the API in a browser\n  ${reference}`,
    ...(demo.members ? [`Credentials of the demonstration\n${formatCredentials(demo)}`] : []),
    ...(demo.program
      ? [`The loyalty program of the partner, a process of its own\n  books  ${demo.program.url}/control/books`]
      : []),
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

function formatCredentials({ merchant, partner, members = [] }: Demo): string {
  const organisations = Object.entries({ merchant, partner }).flatMap(([name, organisation]): [string, string][] =>
    organisation ? [[`${name} (id ${organisation.id})`, `x-api-key: ${organisation.apiKey}`]] : [],
  );
  const users = members.map(({ id, points, accessToken }): [string, string] => [
    `member ${id}, ${points} points`,
    `x-api-key: ${accessToken}`,
  ]);
  return formatRows([...organisations, ...users]);
}

function formatNextSteps({ partner, members: [member] = [] }: Demo, base: string | undefined): string {
  const story = '  npm run demo    # the whole story, from a purchase to the webhook';
  const call = `  curl -H 'x-api-key: ${partner?.apiKey}' ${base}/users/${member?.uuid}`;
  return partner && member ? `${story}\n${call}` : story;
}
