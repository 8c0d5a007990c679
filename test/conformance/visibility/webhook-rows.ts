import { everySide, type Row, type Thing } from './rows.ts';
import { absentIds, type Scene } from './scene.ts';

/** Endpoints about webhook subscriptions, their deliveries and their replays. */

type Ids = Scene['webhook'];

/** A request about a subscription, with a body when the endpoint needs one. */
const about = (idsOf: (ids: Ids) => Partial<Ids>, body?: object): Pick<Thing, 'ask'> => ({
  ask: ({ webhook }) => {
    const { subscriptionId = '', eventId = '', replayId = '' } = idsOf(webhook);
    return {
      params: { subscription_id: subscriptionId, event_id: eventId, replay_id: replayId },
      ...(body && { body }),
    };
  },
});

const own = (verdict: string): Pick<Thing, 'seen'> => ({ seen: { own: verdict } });
const absent = absentIds.uuid;

/** A subscription that exists, one that does not, and a text that is no id. */
const subscriptionRow = (body?: object): Row => ({
  hidden: '404 subscription_not_found',
  things: {
    present: { ...about((ids) => ids, body), ...own('200') },
    absent: about((ids) => ({ ...ids, subscriptionId: absent }), body),
    malformed: about((ids) => ({ ...ids, subscriptionId: 'nonsense' }), body),
  },
});

/** The rows of {@link subscriptionRow}, and a row for a delivery or replay that does not exist. */
function partRow(part: 'eventId' | 'replayId', verdict: string): Row {
  const { hidden = '', things } = subscriptionRow();
  return {
    hidden,
    things: {
      ...things,
      'an absent part': { ...about((ids) => ({ ...ids, [part]: absent })), ...own(verdict) },
      'a malformed part': { ...about((ids) => ({ ...ids, [part]: 'nonsense' })), ...own(verdict) },
    },
  };
}

export const webhookRows: Readonly<Record<string, Row>> = {
  'notification/list-webhooks': { things: { present: { ask: () => ({}), seen: everySide('200') } } },
  'notification/get-webhook': subscriptionRow(),
  'notification/test-webhook': subscriptionRow(),
  'notification/enable-webhook': subscriptionRow(),
  'notification/rotate-salt': subscriptionRow(),
  'notification/commit-salt': {
    ...subscriptionRow(),
    things: {
      ...subscriptionRow().things,
      present: { ...about(({ rotatingId }) => ({ subscriptionId: rotatingId })), ...own('200') },
    },
  },
  'notification/list-deliveries': subscriptionRow(),
  'notification/get-delivery': partRow('eventId', '404 delivery_not_found'),
  'notification/replay-delivery': partRow('eventId', '404 delivery_not_found'),
  'notification/start-replay': subscriptionRow({ since: '2026-01-01T00:00:00Z', state: 'all', dry_run: true }),
  'notification/get-replay': partRow('replayId', '404 replay_not_found'),
};
