import type { Member, Membership } from '../../../shared/domain/member/member.ts';
import { newTokenPair } from '../../../shared/operations/user-tokens.ts';
import type { Platform } from '../../../shared/runtime/platform.ts';
import { customerEmailWrite } from '../../../shared/store/connect/links.ts';
import { grantWrite, pairWrites } from '../../../shared/store/credential/grants.ts';
import { ledgerWrite } from '../../../shared/store/ledger/ledger.ts';
import { memberWrites } from '../../../shared/store/member/members.ts';
import type { Change } from './change.ts';

/** A new member: a customer of a merchant, with an account in a partner's program unless it is not linked. */
export interface NewMember {
  readonly firstName: string;
  readonly lastName: string;
  readonly email: string;
  readonly merchant: { readonly id: number; readonly externalId: string };
  readonly program?: {
    readonly partnerId: number;
    readonly externalId: string;
    readonly statusTierId: number | null;
    /** The balance that it begins with. */
    readonly points: number;
  };
}

/** Makes a member. Its opening balance is an entry of the ledger like any other. */
export function newMember(platform: Platform, wanted: NewMember): Change<Member> {
  const { uuid, id } = platform.nextIds();
  const createdAt = platform.now().toISOString();
  const { merchant, program, firstName, lastName, email } = wanted;
  const totals = { totalEarnedPoints: 0, totalRedeemedPoints: 0, createdAt };
  const link = () => ({ ...totals, id: platform.nextIds().id, userId: id });
  const member: Member = {
    user: {
      id,
      uuid,
      firstName,
      lastName,
      email,
      phoneNumber: null,
      externalId: merchant.externalId,
      defaultPartnerId: program?.partnerId ?? null,
      createdAt,
    },
    associations: [{ ...link(), merchantId: merchant.id, externalId: merchant.externalId }],
    memberships: program ? [{ ...link(), firstName, lastName, ...accountOf(program) }] : [],
    usage: [],
    spend: [],
  };
  return {
    made: member,
    writes: [...memberWrites(member), customerEmailWrite(merchant.id, email, id), ...openingWrites(member)],
  };
}

function accountOf({ partnerId, externalId, statusTierId, points }: NonNullable<NewMember['program']>) {
  return { partnerId, externalId, statusTierId, availablePoints: points, heldPoints: 0, cashbackCents: 0 };
}

function openingWrites({ user, memberships }: Member) {
  return memberships.map(({ partnerId, availablePoints }: Membership) =>
    ledgerWrite({
      userId: user.id,
      partnerId,
      campaign: null,
      transactionId: user.id,
      transactionUuid: user.uuid,
      kind: 'OPENING',
      points: availablePoints,
      cashbackCents: 0,
      createdAt: user.createdAt,
    }),
  );
}

/** A member's user token and refresh token, the only time that they can be read. */
export interface MadeTokens {
  readonly accessToken: string;
  readonly refreshToken: string;
  /** When the access token expires; ISO 8601. */
  readonly expiresAt: string | null;
}

/** Makes tokens with which a merchant acts for a member. */
export function newUserTokens(platform: Platform, { user }: Member, merchantId: number): Change<MadeTokens> {
  const grantId = platform.nextUuid();
  const holder = { organisationId: merchantId, userId: user.id, userUuid: user.uuid, grantId };
  const { accessToken, refreshToken, pair } = newTokenPair(platform, holder);
  const createdAt = platform.now().toISOString();
  return {
    made: { accessToken, refreshToken, expiresAt: pair.access.expiresAt },
    writes: [
      grantWrite({ id: grantId, organisationId: merchantId, userId: user.id, isRevoked: false, createdAt }),
      ...pairWrites(pair),
    ],
  };
}
