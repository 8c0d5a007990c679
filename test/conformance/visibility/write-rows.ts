import { randomUUID } from 'node:crypto';
import { issueUserTokens } from '../../../shared/operations/member/issue-user-tokens.ts';
import { newShopper } from '../../support/shoppers.ts';
import { issueToken } from '../../support/story.ts';
import { bothSides, everySide, type Row, type Thing, withBody } from './rows.ts';
import { absentIds, type Scene } from './scene.ts';

/** The rows of the endpoints that write. */

const newId = () => `visible-${randomUUID()}`;

/** An unlink of an account, sent by any side. Without `partnerOf`, it names an unknown program and changes nothing. */
const unlinking = (
  userOf: (scene: Scene) => string | number | Promise<string | number>,
  partnerOf: (scene: Scene) => number = () => absentIds.organisation,
): Pick<Thing, 'ask'> => ({
  ask: async (scene) => ({ params: { id: String(await userOf(scene)) }, body: { partner_id: partnerOf(scene) } }),
});

/** A report about a user, sent by any side. */
const reporting = (userOf: (scene: Scene) => string, body: object = {}): Pick<Thing, 'ask'> => ({
  ask: (scene) => ({ params: { id: userOf(scene) }, body }),
});

/** An order of a user, sent by any side. */
const orderOf = (identify: (scene: Scene) => object): Pick<Thing, 'ask'> =>
  withBody((scene) => ({
    user: identify(scene),
    transaction_total: 100,
    transaction_subtotal: 100,
    order_external_id: newId(),
  }));

/** A refund of an order, sent by any side. */
const refundOf = (identify: (scene: Scene) => string, amount = 1): Pick<Thing, 'ask'> => ({
  ask: (scene) => ({ params: { order_id: identify(scene) }, body: { refund_external_id: newId(), amount } }),
});

/** A refund of a transaction, sent by any side. */
const refundById = (identify: (scene: Scene) => string | number, amount = 1): Pick<Thing, 'ask'> => ({
  ask: (scene) => ({
    params: { reward_transaction_id: String(identify(scene)) },
    body: { refund_external_id: newId(), amount },
  }),
});

/** A trigger event of a partnership, sent by any side. */
const triggerOf = (identify: (scene: Scene) => string): Pick<Thing, 'ask'> => ({
  ask: (scene) => ({ params: { id: identify(scene) }, body: { trigger_name: 'signup_completed' } }),
});

const purchaseOf = (choose: (scene: Scene) => object): Pick<Thing, 'ask'> =>
  withBody((scene) => ({ transaction_amount: 3, external_transaction_id: newId(), ...choose(scene) }));

const simulationOf = (choose: (scene: Scene) => object): Pick<Thing, 'ask'> =>
  withBody((scene) => ({ transaction_amount: 3, ...choose(scene) }));

const refreshing = (of: (scene: Scene) => string | Promise<string>): Pick<Thing, 'ask'> => ({
  ask: async (scene) => form({ grant_type: 'refresh_token', refresh_token: await of(scene) }),
});
const form = (fields: Record<string, string>) => ({ body: new URLSearchParams(fields).toString() });

async function newRefreshToken({ world, members, organisations }: Scene): Promise<string> {
  return (await issueUserTokens({ member: members.own, merchantId: organisations.own.id }, world.platform))
    .refreshToken;
}

const linking = (partnerOf: (scene: Scene) => number, more: object = {}) =>
  withBody((scene) => ({ partner_id: partnerOf(scene), member_id: 'SKY-77002', proof: 'wrong', ...more }));
const linkingByForm = (partnerOf: (scene: Scene) => number): Pick<Thing, 'ask'> => ({
  ask: (scene) => form({ partner_id: String(partnerOf(scene)), member_id: 'SKY-77002', proof: 'wrong' }),
});
const theirPartner = ({ organisations }: Scene) => organisations.partner.id;
const strangeProgram = ({ partnerships }: Scene) => partnerships.elsewhere.partnerId;

export const writeRows: Readonly<Record<string, Row>> = {
  'base/send-trigger': {
    hidden: '404 partnership_does_not_exist',
    things: {
      present: { ...triggerOf(({ partnerships }) => partnerships.own.uuid), seen: bothSides },
      deleted: triggerOf(({ partnerships }) => partnerships.deleted.uuid),
      absent: triggerOf(() => absentIds.uuid),
      malformed: triggerOf(() => 'nonsense'),
    },
  },
  'campaign/simulate-campaigns': {
    hidden: '404 user_does_not_exist',
    things: {
      present: { ...simulationOf(({ members }) => ({ user_uuid: members.own.user.uuid })), seen: bothSides },
      'by integer id': { ...simulationOf(({ members }) => ({ user_id: members.own.user.id })), seen: bothSides },
      "by the merchant's id": { ...simulationOf(() => ({ external_user_id: 'cc-1001' })), seen: { own: '200' } },
      "under the other merchant's campaign": {
        ...simulationOf(({ members, campaigns }) => ({
          user_uuid: members.own.user.uuid,
          campaign_id: campaigns.sibling,
        })),
        seen: { own: '404 campaign_does_not_exist', partner: '200' },
      },
      'under a deleted campaign': {
        ...simulationOf(({ members, campaigns }) => ({
          user_uuid: members.own.user.uuid,
          campaign_id: campaigns.deleted,
        })),
        seen: { own: '404 campaign_does_not_exist', partner: '404 campaign_does_not_exist' },
      },
      absent: simulationOf(() => ({ user_uuid: absentIds.uuid })),
      malformed: { ...simulationOf(() => ({ user_id: 'x' })), always: '400 invalid_request' },
    },
  },
  'order/create-order': {
    hidden: '404 user_does_not_exist',
    things: {
      present: { ...orderOf(({ members }) => ({ user_id: members.own.user.id })), seen: { own: '200' } },
      'by link': {
        ...orderOf(({ members }) => ({ user_link_id: members.own.memberships[0]?.id })),
        seen: { own: '200' },
      },
      "by the merchant's id": { ...orderOf(() => ({ merchant_external_id: 'cc-1001' })), seen: { own: '200' } },
      'absent by id': orderOf(() => ({ user_id: absentIds.id })),
      'absent by link': orderOf(() => ({ user_link_id: absentIds.id })),
      "absent by the merchant's id": orderOf(() => ({ merchant_external_id: 'nobody' })),
      'own and absent': orderOf(() => ({ user_id: absentIds.id, merchant_external_id: 'cc-1001' })),
      'own and foreign': orderOf(({ members }) => ({
        user_id: members.elsewhere.user.id,
        merchant_external_id: 'cc-1001',
      })),
      malformed: { ...orderOf(() => ({ user_id: 'x' })), always: '400 invalid_request' },
    },
  },
  'order/refund-order': {
    hidden: '404 order_does_not_exist',
    things: {
      present: { ...refundOf(({ orders }) => orders.own), seen: { own: '200' } },
      "another merchant's": { ...refundOf(({ orders }) => orders.elsewhere), seen: { elsewhere: '200' } },
      'more than the total': {
        ...refundOf(({ orders }) => orders.own, 999_999),
        seen: { own: '409 refund_exceeds_order' },
      },
      absent: refundOf(() => absentIds.uuid),
      malformed: refundOf(() => 'nonsense'),
    },
  },
  'reward/refund-transaction': {
    hidden: '404 transaction_does_not_exist',
    things: {
      'present by UUID': { ...refundById(({ transactions }) => transactions.present.uuid), seen: { own: '200' } },
      'present by integer': { ...refundById(({ transactions }) => transactions.present.id), seen: { own: '200' } },
      'more than the amount': {
        ...refundById(({ transactions }) => transactions.present.id, 999_999),
        seen: { own: '409 refund_exceeds_transaction' },
      },
      'of a deleted partnership': {
        ...refundById(({ transactions }) => transactions.ofDeleted.id),
        seen: { own: '200' },
      },
      'an order': refundById(({ orders }) => orders.own),
      absent: refundById(() => absentIds.uuid),
      malformed: refundById(() => 'nonsense'),
    },
  },
  'base/create-connect-token': {
    hidden: '404 partnership_does_not_exist',
    things: {
      present: { ...withBody(({ partnerships }) => ({ partnership_id: partnerships.own.uuid })), seen: { own: '200' } },
      deleted: withBody(({ partnerships }) => ({ partnership_id: partnerships.deleted.uuid })),
      absent: withBody(() => ({ partnership_id: absentIds.uuid })),
      malformed: { ...withBody(() => ({ partnership_id: 'x' })), always: '400 invalid_request' },
      // No caller learns whether the referrer exists.
      'with a known referrer': { ...withBody(() => ({ user: { referrer_external_id: 'cc-1001' } })), always: '200' },
      'with an unknown referrer': { ...withBody(() => ({ user: { referrer_external_id: 'nobody' } })), always: '200' },
    },
  },
  'base/create-connect-token of a campaign': {
    hidden: '404 campaign_does_not_exist',
    things: {
      present: { ...withBody(({ campaigns }) => ({ campaign_id: campaigns.earn })), seen: { own: '200' } },
      deleted: withBody(({ campaigns }) => ({ campaign_id: campaigns.deleted })),
      'of a deleted partnership': withBody(({ campaigns }) => ({ campaign_id: campaigns.ofDeleted })),
      absent: withBody(() => ({ campaign_id: absentIds.organisation })),
    },
  },
  'base/update-attributes': {
    hidden: '404 user_does_not_exist',
    things: {
      present: { ...reporting(({ members }) => members.own.user.uuid), seen: bothSides },
      'of two merchants': { ...reporting(({ shared }) => shared.user.uuid), seen: { ...bothSides, sibling: '200' } },
      'with a tier that is not registered': {
        ...reporting(({ members }) => members.own.user.uuid, { partner_status_tier_id: 77 }),
        seen: { own: '400 invalid_request', partner: '400 invalid_request' },
      },
      'with attributes of the merchant': {
        ...reporting(({ members }) => members.own.user.uuid, { attributes: { plan: ['yearly'] } }),
        seen: { own: '200', partner: '400 invalid_request' },
      },
      "the other merchant's": {
        ...reporting(({ members }) => members.sibling.user.uuid),
        seen: { partner: '200', sibling: '200' },
      },
      absent: reporting(() => absentIds.uuid),
      'its integer': reporting(({ members }) => String(members.own.user.id)),
      malformed: reporting(() => 'nonsense'),
    },
  },
  'base/unlink-account': {
    hidden: '404 user_does_not_exist',
    things: {
      present: {
        ...unlinking(
          async ({ world }) => (await newShopper(world)).uuid,
          ({ organisations }) => organisations.partner.id,
        ),
        seen: { own: '200' },
      },
      'without a link': {
        ...unlinking(({ members }) => members.own.user.uuid),
        seen: { own: '404 link_does_not_exist' },
      },
      'of two merchants': {
        ...unlinking(({ shared }) => shared.user.uuid),
        seen: { own: '404 link_does_not_exist', sibling: '404 link_does_not_exist' },
      },
      absent: unlinking(() => absentIds.uuid),
      malformed: unlinking(() => 'nonsense'),
    },
  },
  'user/unlink-own-account': {
    hidden: '404 user_does_not_exist',
    things: {
      'without a link': {
        ...unlinking(({ members }) => members.own.user.id),
        seen: { own: '404 link_does_not_exist' },
      },
      'another customer of the same merchant': {
        ...unlinking(({ members }) => members.partner.user.id),
        seen: { partner: '404 link_does_not_exist' },
      },
      absent: unlinking(() => String(absentIds.id)),
      'its UUID': unlinking(({ members }) => members.own.user.uuid),
      malformed: unlinking(() => 'nonsense'),
    },
  },
  'base/link-account': {
    hidden: '404 partner_not_linkable',
    things: {
      // The proof is wrong, so that the account stays unlinked for the next request.
      present: {
        ...linking(theirPartner),
        seen: { own: '400 verification_failed', sibling: '400 verification_failed' },
      },
      'absent account': {
        ...linking(theirPartner, { member_id: 'nobody' }),
        seen: { own: '400 verification_failed', sibling: '400 verification_failed' },
      },
      "another merchant's program": { ...linking(strangeProgram), seen: { elsewhere: '400 verification_failed' } },
      absent: linking(() => absentIds.organisation),
      malformed: { ...linking(() => 0), always: '400 invalid_request' },
    },
  },
  'base/submit-connect-page': {
    hidden: '400 This program cannot be linked here',
    // The form contains the connect token in its target, and the name of the merchant.
    generated: /rwt_local_[\w-]+|<title>[^<]*|<h1>[^<]*|<(form|p>There)[\s\S]*/g,
    things: {
      present: {
        ...linkingByForm(theirPartner),
        seen: {
          own: '400 The program does not know this account by this proof',
          sibling: '400 The program does not know this account by this proof',
        },
      },
      absent: linkingByForm(() => absentIds.organisation),
      "another merchant's program": {
        ...linkingByForm(strangeProgram),
        seen: { elsewhere: '400 The program does not know this account by this proof' },
      },
    },
  },
  'base/report-from-program': {
    things: {
      present: {
        ask: ({ members, partnerships }) => ({
          params: { partner_id: String(partnerships.own.partnerId) },
          body: { type: 'balance.changed', data: { member_id: members.own.memberships[0]?.externalId } },
        }),
        always: '401 invalid_signature',
      },
      absent: {
        ask: () => ({ params: { partner_id: String(absentIds.organisation) }, body: {} }),
        always: '401 invalid_signature',
      },
    },
  },
  'base/receive-payment': {
    things: {
      present: {
        ask: ({ organisations }) => ({
          params: { payment_platform: 'square', payment_account: `M${organisations.own.id}` },
          body: { type: 'payment.updated' },
        }),
        always: '401 invalid_signature',
      },
      'of a platform without webhooks': {
        ask: () => ({ params: { payment_platform: 'stripe', payment_account: 'acct_1' }, body: {} }),
        always: '401 invalid_signature',
      },
    },
  },
  'notification/update-webhook': {
    hidden: '404 event_not_exists',
    things: {
      present: {
        ...withBody(() => ({ endpoint: 'https://own.example.com/', event_name: 'campaign_ended' })),
        seen: { own: '200' },
      },
      absent: withBody(() => ({ endpoint: 'https://own.example.com/', event_name: 'campaign_updated' })),
      'deletion of an absent one': withBody(() => ({ endpoint: '', event_name: 'campaign_updated' })),
      malformed: { ...withBody(() => ({ endpoint: '', event_name: 'x' })), always: '400 invalid_subscription' },
    },
  },
  'notification/subscribe-webhook': {
    things: {
      // The request is invalid for every side. The replies to a valid request would differ, because the owner has the
      // subscription already.
      present: {
        ...withBody(() => ({ endpoint: 'not-a-url', event_name: 'campaign_ended' })),
        always: '400 invalid_subscription',
      },
    },
  },
  'reward/authenticate-transaction': {
    hidden: '200 status 4',
    verdict: ({ status, text }) => `${status} status ${JSON.parse(text).data?.authentication_status ?? text}`,
    generated: /"authentication_id":"[^"]*"/g,
    things: {
      // The side `partner` uses the token of another customer of the merchant, who has no linked account.
      present: {
        ...purchaseOf(({ campaigns }) => ({ campaign_id: campaigns.earn })),
        seen: { own: '200 status 1', partner: '200 status 3' },
      },
      deleted: purchaseOf(({ campaigns }) => ({ campaign_id: campaigns.deleted })),
      'of a deleted partnership': purchaseOf(({ campaigns }) => ({ campaign_id: campaigns.ofDeleted })),
      absent: purchaseOf(() => ({ campaign_id: absentIds.organisation })),
      'an absent program': purchaseOf(() => ({ partner_id: absentIds.organisation })),
    },
  },
  'reward/create-transaction': {
    hidden: '400 invalid_token',
    things: {
      present: {
        ask: async ({ world }) => ({ body: { reward_authentication_token: await issueToken(world, newId()) } }),
        seen: { own: '200' },
      },
      absent: withBody(({ world }) => ({ reward_authentication_token: `${world.platform.config.stage}_nobodys` })),
      malformed: withBody(() => ({ reward_authentication_token: 'nonsense' })),
    },
  },
  'base/issue-token': {
    hidden: '400 invalid_grant',
    things: {
      present: { ...refreshing(newRefreshToken), seen: { own: '200' } },
      absent: refreshing(({ world }) => `rwr_${world.platform.config.stage}_nobodys`),
      malformed: refreshing(() => 'nonsense'),
    },
  },
  'base/revoke-token': {
    things: {
      present: { ask: async (scene) => form({ token: await newRefreshToken(scene) }), seen: everySide('200') },
      absent: { ask: () => form({ token: 'nonsense' }), seen: everySide('200') },
    },
  },
};
