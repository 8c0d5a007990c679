import type { PlatformFile } from './state.ts';

interface Organisation {
  readonly id: number;
  readonly apiKey: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

interface Member {
  readonly id: number;
  readonly uuid: string;
  readonly accessToken: string;
  readonly points: number;
}

interface Demo {
  readonly merchant?: Organisation;
  readonly partner?: Organisation;
  readonly members?: readonly Member[];
}

function rows(entries: readonly (readonly [string, string])[]): string {
  const width = Math.max(...entries.map(([name]) => name.length));
  return entries.map(([name, value]) => `  ${name.padEnd(width)}  ${value}`).join('\n');
}

function credentials({ merchant, partner, members = [] }: Demo): string {
  const organisations = Object.entries({ merchant, partner }).flatMap(([name, organisation]) =>
    organisation ? [[`${name} (id ${organisation.id})`, `x-api-key: ${organisation.apiKey}`] as const] : [],
  );
  const users = members.map(({ id, points, accessToken }): [string, string] => [
    `member ${id}, ${points} points`,
    `x-api-key: ${accessToken}`,
  ]);
  return rows([...organisations, ...users]);
}

function nextSteps({ hosts }: PlatformFile, { partner, members: [member] = [] }: Demo): string {
  const story = '  npm run demo    # the whole story, from a purchase to the webhook';
  const call = `  curl -H 'x-api-key: ${partner?.apiKey}' ${hosts.base}/users/${member?.uuid}`;
  return partner && member ? `${story}\n${call}` : story;
}

/** What `npm start` prints once everything answers. */
export function banner(
  content: PlatformFile,
  { file, logs, seconds }: { file: string; logs: string; seconds: string },
): string {
  const { hosts, aws } = content;
  const demo = content.demo as Demo;
  const services: [string, string][] = [
    ['DynamoDB', `aws dynamodb scan --table-name ${aws.table} --endpoint-url ${aws.dynamodb}`],
    ['SQS', `aws sqs list-queues --endpoint-url ${aws.sqs}`],
    ['EventBridge', `aws events list-rules --event-bus-name ${aws.bus} --endpoint-url ${aws.events}`],
    ['Scheduler', `aws scheduler list-schedules --endpoint-url ${aws.scheduler}`],
  ];
  const sections = [
    `The Rewards Platform runs, ${seconds} s after its start.`,
    `Hosts\n${rows(Object.entries(hosts))}`,
    ...(demo.members ? [`Credentials of the demonstration\n${credentials(demo)}`] : []),
    `AWS calls, with any credentials and region ${aws.region}\n${rows(services)}`,
    `Next\n${nextSteps(content, demo)}`,
    `Addresses and credentials are in ${file}, the functions' logs in ${logs}. Ctrl-C ends it all.`,
  ];
  return `\n${sections.join('\n\n')}\n`;
}
