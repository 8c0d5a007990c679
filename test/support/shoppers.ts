import { randomUUID } from 'node:crypto';
import { contract as authContract } from '../../functions/reward/authenticate-transaction/contract.ts';
import { handler as authenticate } from '../../functions/reward/authenticate-transaction/handler.ts';
import { contract as createContract } from '../../functions/reward/create-transaction/contract.ts';
import { handler as create } from '../../functions/reward/create-transaction/handler.ts';
import { issueUserTokens } from '../../shared/operations/member/issue-user-tokens.ts';
import { createMember } from '../../shared/operations/member/manage-members.ts';
import { type Answer, call } from './call.ts';
import type { World } from './world.ts';

/** A customer of the world's merchant with an account at the world's partner. */
export interface Shopper {
  readonly id: number;
  readonly uuid: string;
  readonly externalId: string;
  readonly accessToken: string;
}

export async function newShopper(
  { platform, demo }: World,
  points = 0,
  externalId: string = randomUUID(),
): Promise<Shopper> {
  const merchantId = demo.merchant.id;
  const member = await createMember(
    {
      firstName: 'Mary',
      lastName: 'Somerville',
      email: 'mary@example.com',
      merchant: { id: merchantId, externalId },
      program: { partnerId: demo.partner.id, externalId, statusTierId: null, points },
    },
    platform,
  );
  const { accessToken } = await issueUserTokens({ member, merchantId }, platform);
  return { id: member.user.id, uuid: member.user.uuid, externalId, accessToken };
}

/** A shopper's token request. */
export interface Asked {
  readonly campaignId: number;
  readonly amount: number;
  readonly order?: string;
  /** Items and attributes of the purchase, as the body of endpoint 1 has them. */
  readonly details?: object;
}

/** Calls endpoint 1 as a shopper. */
export function ask(
  { accessToken }: Shopper,
  { campaignId, amount, order = randomUUID(), details }: Asked,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const body = { transaction_amount: amount, external_transaction_id: order, campaign_id: campaignId, ...details };
  return call(authenticate, authContract, { headers: { 'x-api-key': accessToken, ...headers }, body });
}

/** Calls endpoint 2 with the token of endpoint 1. */
export function createBy(
  { accessToken }: Shopper,
  { body }: Answer,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const token = body.data.authentication_id;
  return call(create, createContract, {
    headers: { 'x-api-key': accessToken, ...headers },
    body: { reward_authentication_token: token },
  });
}
