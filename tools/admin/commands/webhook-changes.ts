import type { Command } from '@commander-js/extra-typings';
import { permissions } from '../../../shared/contracts/contract.ts';
import { deliveryReply, replayReply, subscriptionReply } from '../../../shared/http/views/webhook.ts';
import { findOrganisation } from '../../../shared/operations/organisation/find-organisation.ts';
import { enableEndpoint } from '../../../shared/operations/webhook/enable-endpoint.ts';
import type { EndpointRequest } from '../../../shared/operations/webhook/find-endpoint.ts';
import { replayDelivery } from '../../../shared/operations/webhook/replay-delivery.ts';
import { commitSalt, rotateSalt } from '../../../shared/operations/webhook/rotate-salt.ts';
import { sendTestEvent } from '../../../shared/operations/webhook/send-test-event.ts';
import { estimateReplay, startReplay } from '../../../shared/operations/webhook/start-replay.ts';
import { standardWebhooksSecret } from '../../../shared/webhooks/delivery-request.ts';
import { addCommand, type Cli, type Operator, type Report } from '../cli/cli.ts';
import * as input from '../cli/input.ts';
import { moment } from '../cli/moments.ts';
import { facts } from '../cli/text.ts';

/** The arguments that the commands about webhooks share. */

const subscriptionArgument = ['<subscription>', 'id of the subscription, as webhook list shows it'] as const;
export const eventArgument = ['<event>', 'id of the event, as webhook deliveries shows it'] as const;

const exampleIds = {
  subscription: '0198c1f0-5d7a-7c3e-9b1f-2f4c8a6d0e05',
  event: '0198c1f0-5d7a-7c3e-9b1f-2f4c8a6d0e11',
};
export const exampleEvent = exampleIds.event;

/** Makes the example of a command about one subscription. `more` are the arguments after the subscription. */
export const exampleOf = (command: string, ...more: readonly string[]) =>
  ['webhook', command, '"Corner Coffee"', exampleIds.subscription, ...more].join(' ');

/** Adds a command about one subscription of an organisation. */
export const endpointCommand = (group: Command, name: string) =>
  addCommand(group, name)
    .argument(...input.organisationArgument)
    .argument(...subscriptionArgument);

/**
 * Finds the organisation and makes a request in its name. An operator may see and change all subscriptions of the
 * organisation.
 */
export async function requestOf(
  deps: Operator['deps'],
  text: string,
  subscriptionId: string,
): Promise<EndpointRequest> {
  const { id: organisationId } = await findOrganisation(text, deps);
  return { organisationId, subscriptionId: subscriptionId.toLowerCase(), permissions };
}

/** Adds the commands that change an endpoint, and the commands that send it events. */
export function addWebhookChanges(cli: Cli, group: Command): void {
  endpointCommand(group, 'replay')
    .description('Send the event of a delivery again, with the same event id.')
    .argument(...eventArgument)
    .action(
      cli.door(
        async ({ deps }, text, subscriptionId, eventId) => {
          const request = await requestOf(deps, text, subscriptionId);
          const delivery = await replayDelivery({ ...request, eventId }, deps);
          return {
            json: deliveryReply(delivery),
            text: `The event ${delivery.event.id} will be sent again, as soon as the endpoint works.`,
          };
        },
        exampleOf('replay', exampleEvent),
      ),
    );

  endpointCommand(group, 'replay-since')
    .description('Send the failed deliveries of events since a time again. What waits is sent without this command.')
    .argument('<time>', 'events from this time on', input.instant)
    .option('--until <time>', 'events before this time (default: now)', input.instant)
    .option('--all', 'delivered events too')
    .option('--dry-run', 'only count the deliveries')
    .action(cli.door(replaySince, exampleOf('replay-since', '2026-11-20T09:00:00Z --dry-run')));

  endpointCommand(group, 'test')
    .description('Send a test event to an endpoint, in any state of it.')
    .action(
      cli.door(async ({ deps }, text, subscriptionId) => {
        const delivery = await sendTestEvent(await requestOf(deps, text, subscriptionId), deps);
        return {
          json: deliveryReply(delivery),
          text: `The test event ${delivery.event.id} is on its way. webhook delivery shows its result in a moment.`,
        };
      }, exampleOf('test')),
    );

  endpointCommand(group, 'enable')
    .description('Let an endpoint that does not work receive deliveries again, and send those that wait.')
    .action(
      cli.door(async ({ deps }, text, subscriptionId) => {
        const subscription = await enableEndpoint(await requestOf(deps, text, subscriptionId), deps);
        return {
          json: subscriptionReply(subscription),
          text: 'The endpoint receives deliveries. Those that wait are sent, the oldest first.',
        };
      }, exampleOf('enable')),
    );

  endpointCommand(group, 'rotate-salt')
    .description('Begin to replace the salt of a subscription. The new one is shown once; both sign for a day.')
    .action(
      cli.door(async ({ deps }, text, subscriptionId) => {
        const { salt, activatesAt } = await rotateSalt(await requestOf(deps, text, subscriptionId), deps);
        const secret = standardWebhooksSecret(salt);
        return {
          json: { salt, standard_webhooks_secret: secret, activates_at: activatesAt },
          text: facts({
            'salt (shown this once)': salt,
            'the same for Standard Webhooks': secret,
            'only salt from': moment(activatesAt),
          }),
        };
      }, exampleOf('rotate-salt')),
    );

  endpointCommand(group, 'commit-salt')
    .description('End the replacement of a salt now: only the new one signs.')
    .action(
      cli.door(async ({ deps, confirm }, text, subscriptionId) => {
        await confirm(
          `Deliveries to ${subscriptionId} will be signed with the new salt only. Does the receiver know it?`,
        );
        const subscription = await commitSalt(await requestOf(deps, text, subscriptionId), deps);
        return {
          json: subscriptionReply(subscription),
          text: 'Only the new salt signs. For some seconds, deliveries may still carry the old one.',
        };
      }, exampleOf('commit-salt')),
    );
}

type ReplayOptions = input.Given<'until', Date> & input.Given<'all' | 'dryRun', true>;

async function replaySince(
  { deps }: Operator,
  ...[text, subscriptionId, since, options]: readonly [
    text: string,
    subscriptionId: string,
    since: Date,
    options: ReplayOptions,
  ]
): Promise<Report> {
  const { until, all, dryRun } = options;
  const request = {
    ...(await requestOf(deps, text, subscriptionId)),
    ...({ since, until, scope: all ? 'all' : 'failed' } as const),
  };
  if (dryRun) {
    const { count, hasMore } = await estimateReplay(request, deps);
    const number = `${count}${hasMore ? ' or more' : ''}`;
    return { json: { deliveries: count, hasMore }, text: `Deliveries that would be sent again: ${number}.` };
  }
  const started = await startReplay(request, deps);
  return {
    json: replayReply(started),
    text: `Replay ${started.replayId} has begun. webhook show shows it until it is done.`,
  };
}
