import { randomUUID } from 'node:crypto';
import type { AnyContract } from '../../../shared/contracts/contract.ts';
import { fc } from '../../support/fast-check.ts';
import type { Material } from './requests.ts';

/** Ids and credentials of a world. */
export interface Loot {
  readonly merchantKey: string;
  readonly partnerKey: string;
  readonly userToken: string;
  readonly refreshToken: string;
  readonly bearer: string;
  readonly basic: string;
  readonly connectToken: string;
  readonly partnershipUuid: string;
  readonly campaignIds: readonly number[];
  readonly user: { readonly id: number; readonly uuid: string; readonly externalId: string; readonly linkId: number };
  readonly transaction: { readonly id: number; readonly uuid: string };
  readonly partnerId: number;
  readonly webhook: { readonly subscriptionId: string; readonly eventId: string; readonly replayId: string };
  /** Transaction tokens, each usable once. */
  readonly transactionTokens: readonly string[];
}

/**
 * Ids of partners that do not exist. Most requests use them, because the program of an existing partner checks the
 * proof of the account, which is slow by design.
 */
const strangers = Array.from({ length: 15 }, (_, index) => 5_000 + index);

/** Valid values by field name, for all contracts. */
function goodValues(loot: Loot, { host, name }: AnyContract): Readonly<Record<string, readonly unknown[]>> {
  const { user, transaction } = loot;
  const ids = name === 'get-transaction' ? [transaction.uuid, transaction.id] : [loot.partnershipUuid, user.uuid];
  return {
    id: host === 'user' ? [user.id] : ids,
    reward_transaction_id: [transaction.id],
    subscription_id: [loot.webhook.subscriptionId],
    event_id: [loot.webhook.eventId],
    replay_id: [loot.webhook.replayId],
    since: ['2026-01-01T00:00:00Z', '9999-12-31T23:59:59Z'],
    until: ['2126-01-01T00:00:00Z', '0000-01-01T00:00:00Z'],
    connect_token: [loot.connectToken],
    campaign_id: loot.campaignIds,
    partner_id: name === 'authenticate-transaction' ? [loot.partnerId] : [loot.partnerId, ...strangers],
    partnership_id: [loot.partnershipUuid],
    merchant_external_id: [user.externalId],
    external_user_id: [user.externalId],
    user_id: [user.id],
    user_link_id: [user.linkId],
    transaction_total: [10_800],
    transaction_subtotal: [10_000],
    transaction_sub_total: [10_000],
    transaction_discount: [0, 500],
    transaction_amount: [10, 0.01, 10_000_000],
    event_name: ['campaign_ended', 'transaction_created'],
    user_uuid: [user.uuid],
    trigger_name: ['signup_completed'],
    campaign_types: ['1,2', '1'],
    campaign_type: ['2', '3'],
    limit: ['1', '100'],
    endpoint: ['https://hooks.example.com/', 'http://127.0.0.1/hook'],
    email: ['ada@example.com'],
    phone_number: ['+15551234567'],
    redirect_uri: ['https://corner-coffee.example/connected'],
    code_challenge: ['E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'],
    member_id: ['SKY-77002'],
    grant_type: ['client_credentials', 'refresh_token', 'authorization_code'],
    scope: ['templates:read', 'transactions:read templates:read'],
    refresh_token: [loot.refreshToken],
    reward_authentication_token: loot.transactionTokens,
    token: [loot.refreshToken.slice(0, -1), loot.merchantKey],
  };
}

/** Fields that need a new value in each request. */
const newEachTime = ['order_external_id', 'external_transaction_id'];

/** Returns valid credentials and ids for an endpoint. */
export function materialFor(contract: AnyContract, loot: Loot): Material {
  const good = goodValues(loot, contract);
  const proofs = goodProofs(contract, loot);
  const others = [
    {},
    { 'x-api-key': loot.userToken },
    { 'x-api-key': loot.merchantKey },
    { 'X-API-KEY': 'rwk_local_' },
  ];
  return {
    proof: fc.oneof(
      { weight: 15, arbitrary: fc.constantFrom(...proofs) },
      fc.constantFrom<Record<string, string>>(...others),
    ),
    known: (field) => {
      if (newEachTime.includes(field)) return fc.constant(null).map(() => randomUUID());
      const values = Object.hasOwn(good, field) ? good[field] : undefined;
      return values && fc.constantFrom(...values);
    },
  };
}

function goodProofs({ credential }: AnyContract, loot: Loot): Record<string, string>[] {
  switch (credential.kind) {
    case 'partnerKey':
      return [{ 'x-api-key': loot.merchantKey }, { 'x-api-key': loot.partnerKey }];
    case 'userToken':
      return [{ 'x-api-key': loot.userToken }];
    case 'bearer':
      return [{ Authorization: `Bearer ${loot.bearer}` }];
    case 'client':
      return [{ 'x-api-key': loot.merchantKey }, { Authorization: `Basic ${loot.basic}` }];
    default:
      return [{}];
  }
}
