import { randomUUID } from 'node:crypto';
import type { Membership } from '../../shared/domain/member/member.ts';
import { createPartnership } from '../../shared/operations/partnership/manage-partnership.ts';
import { ledgerWrite } from '../../shared/store/ledger/ledger.ts';
import { membershipWrites } from '../../shared/store/member/members.ts';
import { provisionOrganisation } from './provision.ts';
import type { Shopper } from './shoppers.ts';
import type { World } from './world.ts';

/** A second partner. It runs a program and has a partnership with the world's merchant. */
export async function aSecondProgram({ platform, demo }: World) {
  const partner = await provisionOrganisation(platform, { name: `Harbour Hotels ${randomUUID()}`, kind: 'PARTNER' });
  const partnership = await createPartnership(
    {
      name: 'Corner Coffee × Harbour Hotels',
      description: null,
      merchantId: demo.merchant.id,
      partnerId: partner.id,
    },
    platform,
  );
  return { ...partner, partnership };
}

/** Links a shopper to another program. */
export async function linkTo({ platform }: World, shopper: Shopper, partnerId: number, points = 0): Promise<void> {
  const member = await platform.members.find(shopper.id);
  if (!member) throw new Error('the shopper does not exist');
  const createdAt = platform.now().toISOString();
  const membership: Membership = {
    id: platform.nextIds().id,
    userId: shopper.id,
    partnerId,
    externalId: shopper.externalId,
    firstName: member.user.firstName,
    lastName: member.user.lastName,
    statusTierId: null,
    availablePoints: points,
    heldPoints: 0,
    owedPoints: 0,
    totalEarnedPoints: 0,
    totalRedeemedPoints: 0,
    cashbackCents: 0,
    createdAt,
  };
  const opening = ledgerWrite({
    userId: shopper.id,
    partnerId,
    campaign: null,
    transactionId: shopper.id,
    transactionUuid: member.user.uuid,
    kind: 'OPENING',
    points,
    cashbackCents: 0,
    createdAt,
  });
  await platform.table.transact([...membershipWrites(membership), opening]);
}
