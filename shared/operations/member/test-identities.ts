import { testAccountNumber, testIdentities } from '../../domain/award/test-identities.ts';
import { findOrganisationOfKind } from '../organisation/find-organisation.ts';
import type { AuditedDeps } from '../write-audited.ts';
import { NotOnProductionError } from './issue-user-tokens.ts';
import { type FindMemberDeps, writeMember } from './manage-members.ts';

/** A test identity of a merchant, and whether it was there before. */
export interface ProvisionedIdentity {
  readonly externalId: string;
  readonly forces: string;
  readonly memberId: number;
  readonly outcome: 'created' | 'unchanged';
}

/** The merchant of the test identities, and the partner of their accounts; each by id or exact name. */
interface WantedIdentities {
  readonly merchant: string;
  readonly program: string;
}

/**
 * Creates the missing test identities of a merchant. Each is a customer of the merchant. Their accounts in the
 * partner's program exist on the platform only. May be repeated. The points belong to no real person, so the rule of
 * two persons does not count them.
 *
 * @throws NotOnProductionError, NotFoundError, WrongOrganisationKindError
 */
export async function provisionTestIdentities(
  { merchant: merchantText, program }: WantedIdentities,
  deps: FindMemberDeps & AuditedDeps,
): Promise<readonly ProvisionedIdentity[]> {
  if (deps.config.stage === 'production') {
    throw new NotOnProductionError('test identities force outcomes, so production has none; use the sandbox');
  }
  const merchant = await findOrganisationOfKind(merchantText, 'MERCHANT', deps);
  const partner = await findOrganisationOfKind(program, 'PARTNER', deps);
  const provisioned: ProvisionedIdentity[] = [];
  for (const { externalId, outcome: forces, points } of testIdentities) {
    const known = await deps.members.findByExternalId(merchant.id, externalId);
    const account = testAccountNumber(externalId, merchant.id);
    const { user } =
      known ??
      (await writeMember(
        {
          ...{ firstName: 'Test', lastName: externalId, email: `${externalId}@example.com` },
          merchant: { id: merchant.id, externalId },
          ...(points !== null && {
            program: { partnerId: partner.id, externalId: account, statusTierId: null, points },
          }),
        },
        [],
        deps,
      ));
    provisioned.push({ externalId, forces, memberId: user.id, outcome: known ? 'unchanged' : 'created' });
  }
  return provisioned;
}
