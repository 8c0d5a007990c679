import type { AwardClaim } from '../../shared/domain/award/claim.ts';
import { type AuthenticationRequest, authenticate, selectCampaign } from '../../shared/domain/award/decide-awards.ts';
import type { Action, Campaign, Flow, Limit, Multiplier } from '../../shared/domain/campaign/document/campaign.ts';
import type { Facts } from '../../shared/domain/campaign/document/facts.ts';
import type { CampaignSettings } from '../../shared/domain/campaign/document/kinds/kind.ts';
import type { RewardTransaction } from '../../shared/domain/ledger/reward-transaction.ts';
import type { Association, Member, Membership, User } from '../../shared/domain/member/member.ts';
import type { Order } from '../../shared/domain/order/order.ts';
import type { Partnership } from '../../shared/domain/partnership.ts';

/** Fixtures: merchant 1, partner 2, member 10. Each function accepts changes. */

export const noon = new Date('2026-03-08T12:00:00.000Z');
const createdAt = '2026-01-01T00:00:00.000Z';

export const aUser = (more: Partial<User> = {}): User => ({
  id: 10,
  uuid: '019b0000-0000-7000-8000-000000000010',
  firstName: 'Ada',
  lastName: 'Byron',
  email: 'ada@example.com',
  phoneNumber: null,
  externalId: null,
  defaultPartnerId: null,
  createdAt,
  ...more,
});

export const aMembership = (more: Partial<Membership> = {}): Membership => ({
  id: 20,
  userId: 10,
  partnerId: 2,
  externalId: 'SKY-1',
  firstName: 'Ada',
  lastName: 'Byron',
  statusTierId: null,
  availablePoints: 10_000,
  heldPoints: 0,
  owedPoints: 0,
  cashbackCents: 0,
  totalEarnedPoints: 0,
  totalRedeemedPoints: 0,
  createdAt,
  ...more,
});

export const anAssociation = (more: Partial<Association> = {}): Association => ({
  id: 30,
  userId: 10,
  merchantId: 1,
  externalId: 'cc-1',
  totalEarnedPoints: 0,
  totalRedeemedPoints: 0,
  createdAt,
  ...more,
});

export const aMember = (more: Partial<Member> = {}): Member => ({
  user: aUser(),
  memberships: [aMembership()],
  associations: [anAssociation()],
  usage: [],
  spend: [],
  ...more,
});

export const aPartnership = (more: Partial<Partnership> = {}): Partnership => ({
  uuid: '019b0000-0000-7000-8000-0000000000aa',
  name: 'Corner Coffee × Skyline Miles',
  description: null,
  imageUrl: null,
  merchantId: 1,
  partnerId: 2,
  kind: 'marketplace',
  relatedPartnerId: null,
  ownerId: 1,
  isActive: true,
  isDeleted: false,
  isDemo: true,
  timeZone: 'America/New_York',
  allowsCashback: false,
  partnerApproval: 'needed',
  reversalPolicy: 'within_balance',
  createdAt,
  ...more,
});

const seats = { fields: { seats: { type: 'integer', isRequired: false } } };

/**
 * Settings of the partnership: transfers may name partner 3; one trigger of each sort exists; both registries have
 * entries.
 */
export const settings = (more: Partial<CampaignSettings> = {}): CampaignSettings => ({
  allowsCashback: true,
  partnerId: 2,
  programs: new Set([2, 3]),
  triggers: [
    {
      ...{ customTriggerId: 7, name: 'signup_completed', event: 'CUSTOM', isActive: true },
      contextSchema: {
        fields: {
          fare: { type: 'number', isRequired: true },
          tip: { type: 'number', isRequired: false },
          plan: { type: 'string', isRequired: true },
          ...seats.fields,
        },
      },
    },
    { customTriggerId: 8, name: 'visited', event: 'CUSTOM', isActive: false, contextSchema: { fields: {} } },
    { customTriggerId: 9, name: 'friend_invited', event: 'REFERRAL', isActive: true, contextSchema: seats },
  ],
  attributes: ['channel', 'club', 'employer', 'plan', 'constructor', 'toString', '__proto__'].map((name) => ({
    name,
    type: 'text',
    values: null,
  })),
  tiers: [1, 2, 3, 99].map((id) => ({ id, name: `Tier ${id}`, order: id })),
  ...more,
});

export const earning = (pointsPerDollarBp: number, id = 1): Action => ({
  id,
  kind: 'AWARD_POINTS',
  ownerId: 2,
  pointsPerDollarBp,
});

export const redeeming = (pointValueMicros: number, id = 1): Action => ({
  id,
  kind: 'REDEEM_POINTS',
  ownerId: 2,
  pointValueMicros,
});

type StatusMultiplier = Extract<Multiplier, { attribute: 'CUSTOMER_STATUS' }>;

export const aMultiplier = (more: Partial<StatusMultiplier> = {}): StatusMultiplier => ({
  id: 1,
  ownerId: 2,
  attribute: 'CUSTOMER_STATUS',
  operator: 'IS_IN',
  statusTierIds: [2],
  factorBp: 15_000,
  ...more,
});

export const aFlow = (actions: Action[], multipliers: Multiplier[] = [], id = 1): Flow => ({
  id,
  trigger: { type: 'SPEND' },
  actions,
  conditionGroups: [],
  multipliers,
  limits: [],
  reevaluateOnRefund: false,
});

export type UserLimit = Extract<Limit, { kind: 'USER' }>;

/** A limit of five events in the lifetime of a member. */
export const aUserLimit = (more: Partial<UserLimit> = {}): UserLimit => ({
  id: 50,
  ownerId: 2,
  kind: 'USER',
  bound: 'MAXIMUM',
  unit: 'EVENTS',
  amount: 5,
  period: 'LIFETIME',
  ...more,
});

/** A running campaign that gives one point per dollar. */
export const aCampaign = (more: Partial<Campaign> = {}): Campaign => ({
  id: 5,
  version: 1,
  partnershipUuid: aPartnership().uuid,
  merchantId: 1,
  partnerId: 2,
  ownerId: 2,
  name: 'A point for every dollar',
  description: null,
  logo: null,
  type: 'EARN',
  status: 'ACTIVE',
  startsAt: '2026-03-01T00:00:00.000Z',
  endsAt: null,
  pauses: [],
  isDeleted: false,
  createdAt,
  flows: [aFlow([earning(10_000)])],
  goals: [],
  templateId: null,
  ...more,
});

export const facts = (more: Partial<Facts> = {}): Facts => ({
  occurredAt: noon.toISOString(),
  trigger: { type: 'SPEND' },
  amountCents: 10_000,
  transferPoints: null,
  partnershipIsActive: true,
  timeZone: 'America/New_York',
  statusTierId: null,
  connectedAt: createdAt,
  totalSpendCents: 0,
  location: null,
  attributes: {},
  ...more,
});

/** A request for $100 of order A-1 under one active campaign. */
export const aRequest = (more: Partial<AuthenticationRequest> = {}): AuthenticationRequest => ({
  member: aMember(),
  merchantId: 1,
  campaigns: [aCampaign()],
  partnerships: [aPartnership()],
  campaignId: undefined,
  partnerId: undefined,
  externalTransactionId: 'A-1',
  amountCents: 10_000,
  now: noon,
  ...more,
});

/** Decides about a request, from the choice of the campaign to the reward. */
export function decided(request: AuthenticationRequest): ReturnType<typeof authenticate> {
  const running = selectCampaign(request);
  return 'refused' in running ? running : authenticate(request, running);
}

/** The claim of a token for $100, issued at noon. */
export const aPurchase = (more: Partial<AwardClaim> = {}): AwardClaim => ({
  merchantId: 1,
  campaignId: 5,
  externalTransactionId: 'A-1',
  kind: 'PURCHASE',
  isTransfer: false,
  authenticationId: 'rwa_local_A',
  state: 'ISSUED',
  userId: 10,
  userUuid: aUser().uuid,
  partnerId: 2,
  amountCents: 10_000,
  heldPoints: 0,
  heldPartnerId: 2,
  rewards: [
    {
      id: 100,
      uuid: '019b0000-0000-7000-8000-000000000100',
      type: 'EARN',
      partnerId: 2,
      points: 100,
      cashbackCents: 0,
      charges: [],
    },
  ],
  issuedAt: noon.toISOString(),
  expiresAt: '2026-03-08T12:10:00.000Z',
  ...more,
});

export const aTransaction = (more: Partial<RewardTransaction> = {}): RewardTransaction => ({
  id: 100,
  uuid: '019b0000-0000-7000-8000-000000000100',
  type: 'EARN',
  state: 'PENDING',
  merchantId: 1,
  partnerId: 2,
  partnershipUuid: aPartnership().uuid,
  campaignId: 5,
  campaignVersion: 1,
  flowId: 1,
  actionId: 1,
  userId: 10,
  userUuid: aUser().uuid,
  amountCents: 10_000,
  points: 100,
  cashbackCents: 0,
  charges: [],
  externalTransactionId: 'A-1',
  snapshotId: 100,
  createdAt: noon.toISOString(),
  updatedAt: noon.toISOString(),
  ...more,
});

/** An order of $100, received at noon. */
export const anOrder = (more: Partial<Order> = {}): Order => ({
  uuid: '019b0000-0000-7000-8000-000000000200',
  merchantId: 1,
  externalOrderId: 'A-1',
  userId: 10,
  totalCents: 10_000,
  subtotalCents: 10_000,
  discountCents: 0,
  paymentId: null,
  lineItems: [],
  state: 'PENDING',
  revision: 0,
  transactionIds: [],
  refundedCents: 0,
  refundsAppliedCents: 0,
  createdAt: noon.toISOString(),
  updatedAt: noon.toISOString(),
  ...more,
});
