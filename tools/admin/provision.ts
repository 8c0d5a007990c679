import type { Member } from '../../shared/domain/member/member.ts';
import type { Partnership } from '../../shared/domain/partnership.ts';
import type { Platform } from '../../shared/runtime/platform.ts';
import { hashPin, programAccountWrite } from '../../shared/store/member/program-accounts.ts';
import { carryOut } from './make/change.ts';
import { type MadeTokens, type NewMember, newMember, newUserTokens } from './make/member.ts';
import { type NewOrganisation, newOrganisation } from './make/organisation.ts';
import { type NewPartnership, newPartnership } from './make/partnership.ts';

/** What has to be there before anybody can call, made at once: for the demonstration and for tests. */

/** An organisation with its first credentials: the only time that they can be read. */
export interface ProvisionedOrganisation {
  readonly id: number;
  readonly apiKey: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

/** Makes an organisation with a partner key of all permissions and an OAuth client. */
export async function provisionOrganisation(
  platform: Platform,
  wanted: NewOrganisation,
): Promise<ProvisionedOrganisation> {
  const { organisation, key, client } = await carryOut(platform, await newOrganisation(platform, wanted));
  return {
    id: organisation.id,
    apiKey: key.secret,
    clientId: client.client.clientId,
    clientSecret: client.secret,
  };
}

/** Makes an active partnership between a merchant and a partner. */
export async function provisionPartnership(platform: Platform, wanted: NewPartnership): Promise<Partnership> {
  return carryOut(platform, newPartnership(platform, wanted));
}

/** Makes a member. */
export async function provisionMember(platform: Platform, wanted: NewMember): Promise<Member> {
  return carryOut(platform, newMember(platform, wanted));
}

/** Gives a member's user token and refresh token for a merchant out. */
export async function provisionUserTokens(
  platform: Platform,
  member: Member,
  merchantId: number,
): Promise<Pick<MadeTokens, 'accessToken' | 'refreshToken'>> {
  const { accessToken, refreshToken } = await carryOut(platform, newUserTokens(platform, member, merchantId));
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
