import { maximumBytes } from '../../contracts/limits.ts';

/**
 * Each error identifier: when it is returned, and an example of its message. A test compares the identifiers with those
 * of the contracts.
 */
export const errorTexts: Readonly<Record<string, { readonly meaning: string; readonly message: string }>> = {
  account_already_linked: {
    meaning: 'Another member has linked the account, or the customer has linked another account.',
    message: 'The account, or the customer, is linked to another one already',
  },
  campaign_does_not_exist: {
    meaning: 'There is no such campaign, or it does not concern the caller.',
    message: 'The campaign does not exist',
  },
  delivery_not_found: { meaning: 'The subscription has no such delivery.', message: 'The delivery does not exist' },
  event_not_exists: {
    meaning: 'The caller has no subscription to this event and entity type.',
    message: 'The event subscription does not exist',
  },
  idempotency_key_reused: {
    meaning: 'The `Idempotency-Key` was used with another body. Use a new key for a new request.',
    message: 'The Idempotency-Key was used with another body',
  },
  insufficient_scope: {
    meaning: 'The bearer token is valid, but it does not have the scope.',
    message: 'The credential lacks the permission transactions:read',
  },
  invalid_client: {
    meaning: 'The client is unknown, its secret is wrong, or it was revoked.',
    message: 'The client id or the client secret is wrong',
  },
  invalid_grant: {
    meaning: 'The code or the refresh token is unknown, used, expired, revoked, or of another client.',
    message: 'The refresh token has expired',
  },
  invalid_request: {
    meaning: 'The request is malformed. `errors` lists each fault with its place.',
    message: 'the request is malformed',
  },
  invalid_scope: {
    meaning: 'The client may not ask for this scope.',
    message: 'the client may ask for: transactions:read templates:read',
  },
  invalid_signature: {
    meaning: 'The signature is missing, wrong or too old.',
    message: 'The signature is missing, wrong, or older than five minutes',
  },
  invalid_subscription: {
    meaning: 'The endpoint, the event or the entity type is not valid, or the key may not read it.',
    message: 'The key may not read what these events are about',
  },
  invalid_token: {
    meaning: 'The key or token is missing, malformed, unknown or revoked. At endpoint 2: also the transaction token.',
    message: 'The credential is not valid',
  },
  link_does_not_exist: {
    meaning: 'The user has no linked account of this program.',
    message: 'The user has no linked account of this program; look at partner_status_tiers of the user',
  },
  member_not_found: {
    meaning: 'No member has linked this account of the program.',
    message: 'The user does not exist',
  },
  no_rotation: {
    meaning: 'The subscription has no new salt that could replace the present one.',
    message: 'no rotation of the salt is running',
  },
  order_already_exists: {
    meaning: 'Another order has this `order_external_id`.',
    message: 'The order id was used before',
  },
  order_does_not_exist: {
    meaning: "There is no such order, or it is another merchant's.",
    message: 'The order does not exist',
  },
  partner_not_linkable: {
    meaning: 'The connect token does not offer this program.',
    message: 'This program cannot be linked here',
  },
  partnership_does_not_exist: {
    meaning: 'There is no such partnership, or the caller has no part in it.',
    message: 'The partnership does not exist',
  },
  program_unavailable: {
    meaning: 'The loyalty program does not answer. Nothing was changed: try again later.',
    message: 'The loyalty program does not answer; try again later',
  },
  rate_limit_exceeded: {
    meaning: 'Too many requests. Wait for the seconds of `Retry-After`.',
    message: 'Too many requests. Try again later.',
  },
  refund_already_exists: {
    meaning: 'Another refund of it has this `refund_external_id`, with another amount.',
    message: 'The refund id was used before, for another amount',
  },
  refund_exceeds_order: {
    meaning: 'All refunds of the order would be more than its total.',
    message: 'The refunds would be more than the total',
  },
  refund_exceeds_transaction: {
    meaning: 'All refunds of the transaction would be more than its amount.',
    message: 'The refunds would be more than the total',
  },
  replay_in_progress: {
    meaning: 'The endpoint has a replay that is not done yet.',
    message: 'A replay of the endpoint is in progress',
  },
  replay_not_found: { meaning: 'The subscription has no such replay.', message: 'The replay does not exist' },
  request_in_progress: {
    meaning: 'The first request with this `Idempotency-Key` is still running. Repeat it later.',
    message: 'The first request with this Idempotency-Key is running',
  },
  request_too_large: {
    meaning: `The body is larger than ${maximumBytes.requestBody / 1024} KB.`,
    message: `The body is larger than ${maximumBytes.requestBody / 1024} KB`,
  },
  rotation_in_progress: {
    meaning: 'An earlier rotation of the salt has not ended. Commit it, or wait for its end.',
    message: 'a rotation of the salt is running until 2026-03-03T09:30:00.000Z',
  },
  subscription_already_exists: {
    meaning: 'The caller has a subscription to this event and entity type. Change it with endpoint 14.',
    message: 'A subscription already exists for the event',
  },
  subscription_not_found: {
    meaning: "There is no such subscription, or it is another organisation's.",
    message: 'The event subscription does not exist',
  },
  temporarily_unavailable: {
    meaning: 'The platform does not answer at the moment, and has changed nothing. Repeat after `Retry-After` seconds.',
    message: 'The platform does not answer at the moment, and has changed nothing; try again',
  },
  transaction_already_exists: {
    meaning: 'The transaction token was used before.',
    message: 'The transaction has already been created',
  },
  transaction_does_not_exist: {
    meaning: 'There is no such transaction, or it does not concern the caller.',
    message: 'The transaction does not exist',
  },
  transaction_not_found: {
    meaning: 'The program has no such transaction.',
    message: 'The transaction does not exist',
  },
  transaction_not_refundable: {
    meaning: 'The transaction cannot be refunded here: for example, it is the reward of an order or a reversal.',
    message: 'The transaction is a reversal: refund the transaction that it reverses',
  },
  unauthorized_client: {
    meaning: 'The partner key lacks the permission `connect:write` (RFC 6749).',
    message: 'The credential lacks the permission connect:write',
  },
  unauthorized_partner: {
    meaning: 'The key is invalid, or it does not have the permission.',
    message: 'The credential is not valid',
  },
  unauthorized_request: {
    meaning: 'The key or token is valid, but it is expired, of another kind, or without the permission.',
    message: 'The token has expired',
  },
  unauthorized_user: {
    meaning: 'The user access token is invalid, expired, or of another kind.',
    message: 'The token has expired',
  },
  unexpected_error: {
    meaning: 'The platform failed. Nothing is known about the outcome: repeat with the same `Idempotency-Key`.',
    message: 'An unexpected error has occurred',
  },
  unsupported_grant_type: {
    meaning: 'The token endpoint does not know this grant type.',
    message: 'grant_type must be authorization_code, refresh_token or client_credentials',
  },
  user_does_not_exist: {
    meaning: 'There is no such user, or the user does not concern the caller.',
    message: 'The user does not exist',
  },
  verification_failed: {
    meaning: 'The program does not know this account by this proof.',
    message: 'The program does not know this account by this proof',
  },
};

/** The `request_id` of the examples. */
export const exampleRequestId = '0198c1f0-5d7a-7c3e-9b1f-2f4c8a6d0e99';

/** The message that the examples show for an error identifier. */
export const exampleMessage = (identifier: string): string => errorTexts[identifier]?.message ?? identifier;

/** The list of identifiers of one status, in Markdown, each with its meaning. */
export function describeErrors(identifiers: readonly string[]): string {
  const lines = identifiers.map((identifier) => `\`${identifier}\`: ${errorTexts[identifier]?.meaning ?? ''}`);
  return lines.length === 1 ? lines.join('') : lines.map((line) => `- ${line}`).join('\n');
}
