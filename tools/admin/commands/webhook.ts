import { Option } from '@commander-js/extra-typings';
import { eventEntities } from '../../../shared/contracts/events.ts';
import { defaultPageItems, maximumCount } from '../../../shared/contracts/limits.ts';
import { deliveryView, detailsReply, overviewReply, subscriptionView } from '../../../shared/http/views/webhook.ts';
import { subjectText } from '../../../shared/operations/errors.ts';
import { findOrganisation, organisationSubject } from '../../../shared/operations/organisation/find-organisation.ts';
import { listEndpoints } from '../../../shared/operations/webhook/find-endpoint.ts';
import { getDelivery } from '../../../shared/operations/webhook/get-delivery.ts';
import { getEndpoint } from '../../../shared/operations/webhook/get-endpoint.ts';
import { listDeliveries } from '../../../shared/operations/webhook/list-deliveries.ts';
import { type DeliveryState, deliveryStates } from '../../../shared/webhooks/delivery.ts';
import { addCommand, type Cli, type Operator, type Report } from '../cli/cli.ts';
import * as input from '../cli/input.ts';
import { paragraphs } from '../cli/text.ts';
import { deliveriesTable, deliveryText, endpointText, webhookView } from '../views/webhook.ts';
import {
  addWebhookChanges,
  endpointCommand,
  eventArgument,
  exampleEvent,
  exampleOf,
  requestOf,
} from './webhook-changes.ts';

export function webhookCommands(cli: Cli): void {
  const group = cli.add('webhook', 'Webhooks of organisations: endpoints, their health, deliveries and replays.');

  addCommand(group, 'list')
    .description('List the subscriptions of an organisation with the state of their endpoints.')
    .argument(...input.organisationArgument)
    .action(
      cli.door(async ({ deps }, text) => {
        const organisation = await findOrganisation(text, deps);
        const subscriptions = await listEndpoints(organisation.id, deps);
        return {
          json: { subscriptions: subscriptions.map(subscriptionView) },
          text:
            subscriptions.length > 0
              ? webhookView.table(subscriptions)
              : `${subjectText(organisationSubject(organisation))} has no subscriptions.`,
        };
      }, 'webhook list "Corner Coffee"'),
    );

  endpointCommand(group, 'show')
    .description('Show whether an endpoint works, how its last deliveries went, and what waits for it.')
    .action(
      cli.door(async ({ deps }, text, subscriptionId) => {
        const overview = await getEndpoint(await requestOf(deps, text, subscriptionId), deps);
        return {
          json: overviewReply(overview),
          text: endpointText(overview),
          isBad: overview.subscription.health !== undefined && overview.subscription.health.state !== 'closed',
        };
      }, exampleOf('show')),
    );

  endpointCommand(group, 'deliveries')
    .description('List the deliveries of a subscription in the last 30 days, the latest event first.')
    .addOption(new Option('--state <state>', 'only deliveries in this state').choices(deliveryStates))
    .addOption(new Option('--event <name>', 'only deliveries of events with this name').choices(eventNames))
    .option('--since <time>', 'only events from this time on', input.instant)
    .option('--until <time>', 'only events before this time', input.instant)
    .option(
      '--limit <number>',
      `deliveries at most, up to ${maximumCount.pageItems} (default: 25)`,
      input.positiveNumber,
    )
    .action(cli.door(deliveries, exampleOf('deliveries', '--state failed --since 2026-11-20T09:00:00Z')));

  endpointCommand(group, 'delivery')
    .description('Show a delivery with its failed attempts: durations, address, and the beginning of each reply.')
    .argument(...eventArgument)
    .action(
      cli.door(
        async ({ deps }, text, subscriptionId, eventId) => {
          const details = await getDelivery({ ...(await requestOf(deps, text, subscriptionId)), eventId }, deps);
          return {
            json: detailsReply(details),
            text: deliveryText(details),
          };
        },
        exampleOf('delivery', exampleEvent),
      ),
    );

  addWebhookChanges(cli, group);
}

const eventNames = Object.keys(eventEntities) as (keyof typeof eventEntities)[];

type DeliveriesOptions = input.Given<'state', DeliveryState> &
  input.Given<'event', keyof typeof eventEntities> &
  input.Given<'since' | 'until', Date> &
  input.Given<'limit', number>;

async function deliveries(
  { deps }: Operator,
  ...[text, subscriptionId, options]: readonly [text: string, subscriptionId: string, options: DeliveriesOptions]
): Promise<Report> {
  const { state, event: eventName, since, until, limit = defaultPageItems } = options;
  const range = { limit: Math.min(limit, maximumCount.pageItems) };
  const request = await requestOf(deps, text, subscriptionId);
  const { items, next } = await listDeliveries(request, { filter: { state, eventName, since, until }, range }, deps);
  const found = items.length > 0 ? deliveriesTable(items) : 'No delivery was found.';
  const more = 'There are more deliveries, or more to look through: give an earlier --until, or a greater --limit.';
  return {
    json: { deliveries: items.map(deliveryView), hasMore: next !== null },
    text: next === null ? found : paragraphs(found, more),
  };
}
