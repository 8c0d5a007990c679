import { Campaign } from '../shared/domain/campaign/campaign.ts';
import type { Member } from '../shared/domain/member/member.ts';
import type { Partnership } from '../shared/domain/partnership.ts';
import { permissions, scopes } from '../shared/http/contract.ts';
import type { Platform } from '../shared/runtime/platform.ts';
import { campaignWrite, partnershipWrite } from '../shared/store/campaigns.ts';
import { clientWrite } from '../shared/store/clients.ts';
import { type Credential, credentialWrite } from '../shared/store/credentials.ts';
import { ledgerWrite } from '../shared/store/ledger.ts';
import { memberWrites } from '../shared/store/members.ts';
import { organisationWrite } from '../shared/store/organisations.ts';
import { digestOf, type SecretKind, secretText } from '../shared/store/secret-text.ts';
import type { CampaignFile } from './campaign-file.ts';

/** What operators make before anybody can call: organisations and their keys, partnerships, campaigns, members. */

/** An organisation with its first credentials: the only time that they can be read. */
export interface ProvisionedOrganisation {
  readonly id: number;
  readonly apiKey: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

/** Makes an organisation with a partner key of all permissions and an OAuth client. A partner's program is hosted. */
export async function provisionOrganisation(
  platform: Platform,
  { name, kind }: { readonly name: string; readonly kind: 'MERCHANT' | 'PARTNER' },
): Promise<ProvisionedOrganisation> {
  const id = await platform.sequences.lease('organisation', 1);
  const createdAt = platform.now().toISOString();
  const apiKey = newSecret(platform, 'partnerKey');
  const clientSecret = newSecret(platform, 'clientSecret');
  const clientId = `rwc_${platform.config.stage}_${Buffer.from(platform.random(16)).toString('hex')}`;

  await platform.table.transact([
    organisationWrite({ id, name, kind, program: kind === 'PARTNER' ? { kind: 'hosted' } : null, createdAt }),
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
    createdAt: platform.now().toISOString(),
  };
  await platform.table.write(partnershipWrite(partnership));
  return partnership;
}

/** Makes a campaign that runs from now on. */
export async function provisionCampaign(
  platform: Platform,
  { uuid, merchantId, partnerId, ownerId }: Partnership,
  file: CampaignFile,
): Promise<Campaign> {
  const id = await platform.sequences.lease('campaign', 1);
  const now = platform.now().toISOString();
  let nextPart = 1;
  const part = <Part extends object>(value: Part) => ({ ...value, id: nextPart++, ownerId: partnerId });
  const campaign = Campaign.parse({
    ...file,
    id,
    version: 1,
    partnershipUuid: uuid,
    merchantId,
    partnerId,
    ownerId,
    logo: null,
    status: 'ACTIVE',
    startsAt: now,
    endsAt: null,
    isDeleted: false,
    createdAt: now,
    flows: file.flows.map(({ trigger, actions, multipliers }) => ({
      id: nextPart++,
      trigger,
      actions: actions.map(part),
      multipliers: multipliers.map(part),
    })),
  });
  await platform.table.write(campaignWrite(campaign));
  return campaign;
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
          },
        ]
      : [],
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
          createdAt,
        }),
      ]
    : [];
  await platform.table.transact([...memberWrites(member), ...opening]);
  return member;
}

const day = 24 * 60 * 60 * 1000;

/** Gives a member's user token and refresh token for a merchant out. */
export async function provisionUserTokens(
  platform: Platform,
  { user }: Member,
  merchantId: number,
): Promise<{ readonly accessToken: string; readonly refreshToken: string }> {
  const accessToken = newSecret(platform, 'userToken');
  const refreshToken = newSecret(platform, 'refreshToken');
  const now = platform.now();
  const common = {
    organisationId: merchantId,
    userId: user.id,
    userUuid: user.uuid,
    isRevoked: false,
    createdAt: now.toISOString(),
  };
  const after = (days: number) => new Date(now.getTime() + days * day).toISOString();
  const credentials: Credential[] = [
    { ...common, kind: 'userToken', digest: digestOf(accessToken), expiresAt: after(90) },
    { ...common, kind: 'refreshToken', digest: digestOf(refreshToken), expiresAt: after(180) },
  ];
  await platform.table.transact(credentials.map(credentialWrite));
  return { accessToken, refreshToken };
}

/** A new secret of this stage. */
function newSecret(platform: Platform, kind: SecretKind): string {
  return secretText(kind, platform.config.stage, platform.random(32));
}
