import { partitions } from '../../contracts/table.ts';
import type { Member, Membership } from '../../domain/member/member.ts';
import { customerEmailWrite } from '../../store/connect/connect.ts';
import { ledgerWrite } from '../../store/ledger/ledger.ts';
import { memberWrites } from '../../store/member/members.ts';
import { hashPin, programAccountWrite } from '../../store/member/program-accounts.ts';
import type { Item, Write } from '../../store/table/table-client.ts';
import { AlreadyExistsError, subjectText } from '../errors.ts';
import { type AuditedDeps, writeAudited } from '../write-audited.ts';
import { memberSubject } from './find-member.ts';

/** A new member: a customer of a merchant, and with `program` the holder of an account in a partner's program. */
export interface NewMember {
  readonly firstName: string;
  readonly lastName: string;
  readonly email: string;
  readonly merchant: { readonly id: number; readonly externalId: string };
  readonly program?: {
    readonly partnerId: number;
    readonly externalId: string;
    readonly statusTierId: number | null;
    /** Opening balance, which is a ledger entry like any other. */
    readonly points: number;
  };
}

/**
 * Creates a member.
 *
 * @throws AlreadyExistsError when the merchant has a customer, or the program an account, with this external id
 */
export async function createMember(wanted: NewMember, deps: AuditedDeps): Promise<Member> {
  const { merchant, email } = wanted;
  const member = newMember(wanted, deps);
  await writeAudited(
    {
      what: `created ${subjectText(memberSubject(member))}, customer ${merchant.externalId} of organisation ${merchant.id}`,
      writes: [
        ...memberWrites(member),
        customerEmailWrite(merchant.id, email, member.user.id),
        ...openingWrites(member),
      ],
      conflict: (found) => takenId(wanted, found),
    },
    deps,
  );
  return member;
}

function newMember({ merchant, program, firstName, lastName, email }: NewMember, deps: AuditedDeps): Member {
  const { uuid, id } = deps.nextIds();
  const createdAt = deps.now().toISOString();
  const link = () => ({ id: deps.nextIds().id, userId: id, totalEarnedPoints: 0, totalRedeemedPoints: 0, createdAt });
  return {
    user: {
      ...{ id, uuid, firstName, lastName, email, createdAt },
      phoneNumber: null,
      externalId: merchant.externalId,
      defaultPartnerId: program?.partnerId ?? null,
    },
    associations: [{ ...link(), merchantId: merchant.id, externalId: merchant.externalId }],
    memberships: program ? [{ ...link(), firstName, lastName, ...newAccount(program) }] : [],
    usage: [],
    spend: [],
  };
}

function newAccount({ partnerId, externalId, statusTierId, points }: NonNullable<NewMember['program']>) {
  return { partnerId, externalId, statusTierId, availablePoints: points, heldPoints: 0, cashbackCents: 0 };
}

function openingWrites({ user, memberships }: Member): Write[] {
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

/** The external id that was taken: the one in the program, or else the one at the merchant. */
function takenId({ merchant, program }: NewMember, found: Item | null): AlreadyExistsError {
  const isInProgram = program && found?.pk.startsWith(`${partitions.externalUser}${program.partnerId}#`);
  return isInProgram
    ? new AlreadyExistsError(
        { kind: 'program account', id: program.externalId },
        { kind: 'organisation', id: program.partnerId },
      )
    : new AlreadyExistsError({ kind: 'customer', id: merchant.externalId }, { kind: 'organisation', id: merchant.id });
}

/** An account of a hosted program that no member has linked yet. */
export interface NewProgramAccount {
  readonly memberId: string;
  readonly pin: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly email: string | null;
  readonly statusTierId: number | null;
  readonly points: number;
}

/** Opens an account in a partner's hosted program. Its holder can link it with the PIN. */
export async function openProgramAccount(
  partnerId: number,
  { pin, points, ...account }: NewProgramAccount,
  { table, random }: AuditedDeps,
): Promise<void> {
  const hash = await hashPin(pin, Buffer.from(random(16)).toString('hex'));
  await table.write(
    programAccountWrite({ ...account, ...hash, partnerId, openingPoints: points, attempts: 0, lockedUntil: null }),
  );
}
