import type { Member } from '../shared/domain/member/member.ts';
import type { Partnership } from '../shared/domain/partnership.ts';
import { permissions, scopes } from '../shared/http/contract.ts';
import type { Platform } from '../shared/runtime/platform.ts';
import { newSecret, newTokenPair } from '../shared/runtime/user-tokens.ts';
import { partnershipWrite } from '../shared/store/campaigns.ts';
import { clientWrite } from '../shared/store/clients.ts';
import { credentialWrite } from '../shared/store/credentials.ts';
import { grantWrite, pairWrites } from '../shared/store/grants.ts';
import { ledgerWrite } from '../shared/store/ledger.ts';
import { customerEmailWrite } from '../shared/store/links.ts';
import { memberWrites } from '../shared/store/members.ts';
import { organisationWrite } from '../shared/store/organisations.ts';
import { hashPin, programAccountWrite } from '../shared/store/program-accounts.ts';
import { digestOf } from '../shared/store/secret-text.ts';

/** What operators make before anybody can call: organisations and their keys, partnerships, members. */

/** An organisation with its first credentials: the only time that they can be read. */
export interface ProvisionedOrganisation {
  readonly id: number;
  readonly apiKey: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

/** What an organisation begins with. */
export interface NewOrganisation {
  readonly name: string;
  readonly kind: 'MERCHANT' | 'PARTNER';
  /** Where the connect flow may send people back to. */
  readonly redirectUris?: string[];
}

/** Makes an organisation with a partner key of all permissions and an OAuth client. A partner's program is hosted. */
export async function provisionOrganisation(
  platform: Platform,
  { name, kind, redirectUris = [] }: NewOrganisation,
): Promise<ProvisionedOrganisation> {
  const id = await platform.sequences.lease('organisation', 1);
  const createdAt = platform.now().toISOString();
  const apiKey = newSecret(platform, 'partnerKey');
  const clientSecret = newSecret(platform, 'clientSecret');
  const clientId = `rwc_${platform.config.stage}_${Buffer.from(platform.random(16)).toString('hex')}`;

  await platform.table.transact([
    organisationWrite({
      id,
      name,
      kind,
      program: kind === 'PARTNER' ? { kind: 'hosted' } : null,
      redirectUris,
      createdAt,
    }),
    credentialWrite({
      kind: 'partnerKey',
      digest: digestOf(apiKey),
      organisationId: id,
      permissions: [...permissions],
      isRevoked: false,
      expiresAt: null,
      createdAt,
    }),
    clientWrite({
      clientId,
      organisationId: id,
      secretDigest: digestOf(clientSecret),
      isRevoked: false,
      scopes: [...scopes],
      createdAt,
    }),
  ]);
  return { id, apiKey, clientId, clientSecret };
}

/** Makes an active partnership between a merchant and a partner. */
export async function provisionPartnership(
  platform: Platform,
  sides: Pick<Partnership, 'name' | 'description' | 'merchantId' | 'partnerId'>,
): Promise<Partnership> {
  const partnership: Partnership = {
    ...sides,
    uuid: platform.nextUuid(),
    imageUrl: null,
    relatedPartnerId: null,
    ownerId: sides.merchantId,
    isActive: true,
    isDeleted: false,
    isDemo: platform.config.stage !== 'production',
    timeZone: 'America/New_York',
    allowsCashback: false,
    createdAt: platform.now().toISOString(),
  };
  await platform.table.write(partnershipWrite(partnership));
  return partnership;
}

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
export async function provisionMember(platform: Platform, wanted: NewMember): Promise<Member> {
  const { uuid, id } = platform.nextIds();
  const createdAt = platform.now().toISOString();
  const { merchant, program, firstName, lastName } = wanted;
  const totals = { totalEarnedPoints: 0, totalRedeemedPoints: 0, createdAt };
  const member: Member = {
    user: {
      id,
      uuid,
      firstName,
      lastName,
      email: wanted.email,
      phoneNumber: null,
      externalId: merchant.externalId,
      defaultPartnerId: program?.partnerId ?? null,
      location: null,
      attributes: {},
      createdAt,
    },
    associations: [
      { ...totals, id: platform.nextIds().id, userId: id, merchantId: merchant.id, externalId: merchant.externalId },
    ],
    memberships: program
      ? [
          {
            ...totals,
            id: platform.nextIds().id,
            userId: id,
            partnerId: program.partnerId,
            externalId: program.externalId,
            firstName,
            lastName,
            statusTierId: program.statusTierId,
            availablePoints: program.points,
            heldPoints: 0,
            cashbackCents: 0,
          },
        ]
      : [],
    usage: [],
    spend: [],
  };
  const opening = program
    ? [
        ledgerWrite({
          userId: id,
          partnerId: program.partnerId,
          campaign: null,
          transactionId: id,
          transactionUuid: uuid,
          kind: 'OPENING',
          points: program.points,
          cashbackCents: 0,
          createdAt,
        }),
      ]
    : [];
  await platform.table.transact([
    ...memberWrites(member),
    customerEmailWrite(merchant.id, wanted.email, id),
    ...opening,
  ]);
  return member;
}

/** Gives a member's user token and refresh token for a merchant out. */
export async function provisionUserTokens(
  platform: Platform,
  { user }: Member,
  merchantId: number,
): Promise<{ readonly accessToken: string; readonly refreshToken: string }> {
  const grantId = platform.nextUuid();
  const { accessToken, refreshToken, pair } = newTokenPair(platform, {
    organisationId: merchantId,
    userId: user.id,
    userUuid: user.uuid,
    grantId,
  });
  const createdAt = platform.now().toISOString();
  await platform.table.transact([
    grantWrite({ id: grantId, organisationId: merchantId, userId: user.id, isRevoked: false, createdAt }),
    ...pairWrites(pair),
  ]);
  return { accessToken, refreshToken };
}

/** An account of a hosted program, not linked to anybody yet. */
export interface NewProgramAccount {
  readonly memberId: string;
  readonly pin: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly email: string | null;
  readonly statusTierId: number | null;
  readonly points: number;
}

/** Opens an account of a hosted program, which its holder may link with the PIN. */
export async function provisionProgramAccount(
  platform: Platform,
  partnerId: number,
  { pin, points, ...account }: NewProgramAccount,
): Promise<void> {
  const hash = await hashPin(pin, Buffer.from(platform.random(16)).toString('hex'));
  await platform.table.write(
    programAccountWrite({ ...account, ...hash, partnerId, openingPoints: points, attempts: 0, lockedUntil: null }),
  );
}
