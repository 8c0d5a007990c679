import {
  type Archive,
  type EventBridgeClient,
  ListArchivesCommand,
  ListRulesCommand,
  type Rule,
  StartReplayCommand,
} from '@aws-sdk/client-eventbridge';

/** The archives of a stage's buses: their names begin with a prefix. */
export interface StageArchives {
  readonly client: EventBridgeClient;
  readonly namePrefix: string;
}

/** The events to send again: all events that arrived in a period. */
export interface ReplayPeriod {
  readonly from: Date;
  readonly to: Date;
}

/** A replay that was started. A replay takes minutes. EventBridge reports the progress under the name of the replay. */
export interface StartedReplay {
  readonly name: string;
  readonly archive: string;
  readonly bus: string;
  /** The only rules that receive the events. */
  readonly rules: readonly string[];
}

/**
 * Sends the archived events of payment platforms again, to the rules of payments only. The other consumers of the bus
 * receive no event. A payment counts once, even if its events arrive several times.
 *
 * @returns an empty list when no archive of the stage belongs to a bus with a rule of payments
 */
export async function replayPayments(
  { client, namePrefix }: StageArchives,
  { from, to }: ReplayPeriod,
  now: Date,
): Promise<StartedReplay[]> {
  const started: StartedReplay[] = [];
  for (const { ArchiveName: archive = '', EventSourceArn: bus = '' } of await listArchives(client, namePrefix)) {
    const rules = (await listRules(client, bus)).filter(isOfPayments).flatMap(({ Arn }) => Arn ?? []);
    if (rules.length === 0) continue;
    const name = `payments-${now.getTime()}-${started.length + 1}`;
    await client.send(
      new StartReplayCommand({
        ...{ ReplayName: name, EventSourceArn: arnOf(archive, bus), EventStartTime: from, EventEndTime: to },
        Destination: { Arn: bus, FilterArns: rules },
      }),
    );
    started.push({ name, archive, bus, rules });
  }
  return started;
}

async function listArchives(client: EventBridgeClient, NamePrefix: string): Promise<Archive[]> {
  const { Archives = [] } = await client.send(new ListArchivesCommand({ NamePrefix, Limit: 100 }));
  return Archives;
}

async function listRules(client: EventBridgeClient, bus: string): Promise<Rule[]> {
  const rules: Rule[] = [];
  let token: string | undefined;
  do {
    const page = await client.send(new ListRulesCommand({ EventBusName: bus, ...(token && { NextToken: token }) }));
    rules.push(...(page.Rules ?? []));
    token = page.NextToken;
  } while (token);
  return rules;
}

/** Whether a rule belongs to ingest-payment: only its rules select payment sources. */
const isOfPayments = ({ EventPattern = '' }: Rule) => /"(rewards\.payments|aws\.partner\/)/.test(EventPattern);

/** Builds the ARN of an archive, which is in the account and region of its bus. */
const arnOf = (archive: string, bus: string) => bus.replace(/:event-bus\/.*$/, `:archive/${archive}`);
