import * as z from 'zod/mini';
import { Cents, Points } from '../money.ts';
import { Location } from './location.ts';

/** A person who earns and redeems. */
export const User = z.object({
  id: z.int(),
  uuid: z.string(),
  firstName: z.string(),
  lastName: z.string(),
  email: z.string(),
  /** E.164. */
  phoneNumber: z.nullable(z.string()),
  externalId: z.nullable(z.string()),
  /** The loyalty program that is meant when a request names none. */
  defaultPartnerId: z.nullable(z.int()),
  /** Where the person lives, as far as a merchant told. */
  location: z._default(z.nullable(Location), null),
  /** What merchants tell of the person by names of their own, for the conditions of campaigns. */
  attributes: z._default(z.record(z.string(), z.array(z.string())), {}),
  createdAt: z.string(),
});
export type User = z.infer<typeof User>;

/** A user's account with one loyalty program, with its balance. Balance = available + held. */
export const Membership = z.object({
  id: z.int(),
  userId: z.int(),
  partnerId: z.int(),
  /** The user's id in the loyalty program. */
  externalId: z.string(),
  firstName: z.string(),
  lastName: z.string(),
  statusTierId: z.nullable(z.int()),
  /** Points that can be spent now. */
  availablePoints: Points,
  /** Points reserved by live redemptions. */
  heldPoints: Points,
  totalEarnedPoints: Points,
  totalRedeemedPoints: Points,
  /** Money that was awarded, in cents. */
  cashbackCents: z._default(Cents, 0),
  createdAt: z.string(),
});
export type Membership = z.infer<typeof Membership>;

/** That a user is a customer of one merchant. */
export const Association = z.object({
  id: z.int(),
  userId: z.int(),
  merchantId: z.int(),
  /** The user's id in the merchant's system. */
  externalId: z.nullable(z.string()),
  totalEarnedPoints: Points,
  totalRedeemedPoints: Points,
  createdAt: z.string(),
});
export type Association = z.infer<typeof Association>;

/** What a user used of one limit of a campaign in one period. */
export const LimitUsage = z.object({
  userId: z.int(),
  campaignId: z.int(),
  limitId: z.int(),
  /** The calendar period, as `periodOf` names it. */
  period: z.string(),
  /** Events or points, as the limit counts. */
  used: z.int(),
});
export type LimitUsage = z.infer<typeof LimitUsage>;

/** What a user spent at a merchant since the account of a program was linked. */
export const SpendTotal = z.object({
  userId: z.int(),
  merchantId: z.int(),
  partnerId: z.int(),
  spentCents: z.int(),
});
export type SpendTotal = z.infer<typeof SpendTotal>;

/** A user with every program and merchant that it belongs to, and what campaigns have to know of its past. */
export interface Member {
  readonly user: User;
  readonly memberships: readonly Membership[];
  readonly associations: readonly Association[];
  readonly usage: readonly LimitUsage[];
  readonly spend: readonly SpendTotal[];
}

/** Whether a member is a customer of an organisation, or has an account in its program. */
export function isAssociated({ associations, memberships }: Member, organisationId: number): boolean {
  return (
    associations.some(({ merchantId }) => merchantId === organisationId) ||
    memberships.some(({ partnerId }) => partnerId === organisationId)
  );
}
