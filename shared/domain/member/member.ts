import * as z from 'zod/mini';
import { Points } from '../money.ts';

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

/** A user with every program and merchant that it belongs to. */
export interface Member {
  readonly user: User;
  readonly memberships: readonly Membership[];
  readonly associations: readonly Association[];
}
