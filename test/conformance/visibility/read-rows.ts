import { at, bothSides, everySide, type Row } from './rows.ts';
import { absentIds } from './scene.ts';

/** Public documents are the same for every caller. */
const document: Row = { hidden: '200', things: { present: { ask: () => ({}) } } };

/** The rows of the endpoints that read. */
export const readRows: Readonly<Record<string, Row>> = {
  'base/get-transaction': {
    hidden: '404 transaction_does_not_exist',
    things: {
      'present by UUID': { ...at('id', ({ transactions }) => transactions.present.uuid), seen: bothSides },
      'present by integer': { ...at('id', ({ transactions }) => transactions.present.id), seen: bothSides },
      // Transactions stay visible to both sides after the partnership is deleted.
      'of a deleted partnership': { ...at('id', ({ transactions }) => transactions.ofDeleted.id), seen: bothSides },
      'absent by UUID': at('id', absentIds.uuid),
      'absent by integer': at('id', String(absentIds.id)),
      "a user's id": at('id', ({ members }) => members.own.user.id),
      'a negative id': at('id', '-1'),
      malformed: at('id', 'nonsense'),
    },
  },
  'reward/get-transaction': {
    hidden: '404 transaction_does_not_exist',
    things: {
      present: { ...at('reward_transaction_id', ({ transactions }) => transactions.present.id), seen: bothSides },
      'of a deleted partnership': {
        ...at('reward_transaction_id', ({ transactions }) => transactions.ofDeleted.id),
        seen: bothSides,
      },
      absent: at('reward_transaction_id', String(absentIds.id)),
      'its UUID': at('reward_transaction_id', ({ transactions }) => transactions.present.uuid),
      malformed: at('reward_transaction_id', 'nonsense'),
      zero: { ...at('reward_transaction_id', '0'), always: '400 invalid_request' },
    },
  },
  'base/get-user': {
    hidden: '404 user_does_not_exist',
    things: {
      present: { ...at('id', ({ members }) => members.own.user.uuid), seen: bothSides },
      'of two merchants': { ...at('id', ({ shared }) => shared.user.uuid), seen: { ...bothSides, sibling: '200' } },
      "the other merchant's": {
        ...at('id', ({ members }) => members.sibling.user.uuid),
        seen: { partner: '200', sibling: '200' },
      },
      'of no program': { ...at('id', ({ members }) => members.unrelated.user.uuid), seen: { unrelated: '200' } },
      absent: at('id', absentIds.uuid),
      'its integer': at('id', ({ members }) => members.own.user.id),
      "a transaction's UUID": at('id', ({ transactions }) => transactions.present.uuid),
      malformed: at('id', 'nonsense'),
    },
  },
  'user/get-user-status': {
    hidden: '404 user_does_not_exist',
    things: {
      present: { ...at('id', ({ members }) => members.own.user.id), seen: { own: '200' } },
      'another customer of the same merchant': {
        ...at('id', ({ members }) => members.partner.user.id),
        seen: { partner: '200' },
      },
      absent: at('id', String(absentIds.id)),
      'its UUID': at('id', ({ members }) => members.own.user.uuid),
      malformed: at('id', 'nonsense'),
    },
  },
  'base/get-partnership': {
    hidden: '404 partnership_does_not_exist',
    things: {
      present: { ...at('id', ({ partnerships }) => partnerships.own.uuid), seen: bothSides },
      "the other merchant's": {
        ...at('id', ({ partnerships }) => partnerships.sibling.uuid),
        seen: { partner: '200', sibling: '200' },
      },
      deleted: at('id', ({ partnerships }) => partnerships.deleted.uuid),
      absent: at('id', absentIds.uuid),
      malformed: at('id', 'nonsense'),
    },
  },
  'order/get-order': {
    hidden: '404 order_does_not_exist',
    things: {
      // An order belongs to its merchant: the partner of its rewards does not see it.
      present: { ...at('order_id', ({ orders }) => orders.own), seen: { own: '200' } },
      "another merchant's": { ...at('order_id', ({ orders }) => orders.elsewhere), seen: { elsewhere: '200' } },
      'absent by UUID': at('order_id', absentIds.uuid),
      "absent by the merchant's id": at('order_id', 'no-such-order'),
      "a transaction's UUID": at('order_id', ({ transactions }) => transactions.present.uuid),
      malformed: at('order_id', '-'),
    },
  },
  'campaign/list-campaigns': {
    hidden: '404 campaign_does_not_exist',
    things: {
      present: {
        ask: () => ({ query: { campaign_types: '1,2' } }),
        seen: { ...bothSides, sibling: '200', elsewhere: '200' },
      },
      'types without campaigns': { ask: () => ({ query: { campaign_types: '3,4' } }) },
      malformed: { ask: () => ({ query: { campaign_types: 'x' } }), always: '400 invalid_request' },
      'an invalid cursor': {
        ask: () => ({ query: { campaign_types: '1,2', cursor: 'x' } }),
        always: '400 invalid_request',
      },
    },
  },
  'campaign/list-templates': {
    things: {
      present: { ask: () => ({}), seen: everySide('200') },
      'an invalid cursor': { ask: () => ({ query: { cursor: 'x' } }), always: '400 invalid_request' },
    },
  },
  'base/get-openapi': document,
  'reward/get-openapi': document,
  'campaign/get-openapi': document,
  'user/get-openapi': document,
  'order/get-openapi': document,
  'notification/get-openapi': document,
  'base/get-connect': { things: { present: { ask: () => ({}), seen: everySide('200') } } },
  'base/show-connect-page': { things: { present: { ask: () => ({}), seen: everySide('200') } } },
};
