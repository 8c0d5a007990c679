import type { Member } from '../../domain/member/member.ts';
import { grantWrites, pairWrites } from '../../store/credential/grants.ts';
import { newTokenPair } from '../connect/user-tokens.ts';
import { AlreadyExistsError, OperationError, type Subject, subjectText } from '../errors.ts';
import { findOrganisationOfKind, organisationSubject } from '../organisation/find-organisation.ts';
import { type AuditedDeps, writeAudited } from '../write-audited.ts';
import {
  type FindMemberDeps,
  findMember,
  findMemberStores,
  type MemberReference,
  memberSubject,
} from './manage-members.ts';

export const issueUserTokensStores = findMemberStores;

/** The tokens of a member for a merchant. They cannot be shown again. */
export interface IssuedTokens {
  readonly accessToken: string;
  readonly refreshToken: string;
  /** The instant at which the access token expires; ISO 8601. */
  readonly expiresAt: string | null;
}

/** The operation is only for stages without real members. The message says what production has instead. */
export class NotOnProductionError extends OperationError {
  override readonly name = 'NotOnProductionError';

  constructor(message = 'on production only members themselves grant access, by connecting') {
    super(message);
  }
}

/**
 * The member is not a customer of the named merchant. Or no merchant was named, and the member is a customer of no
 * merchant or of several.
 */
export class NotACustomerError extends OperationError {
  override readonly name = 'NotACustomerError';
  readonly member: Subject;
  /** The merchant that was named. */
  readonly merchant: Subject | undefined;
  readonly merchantIds: readonly number[];

  constructor(member: Subject, merchant: Subject | undefined, merchantIds: readonly number[]) {
    super(`${subjectText(member)} is a customer of [${merchantIds.join(', ')}]`);
    this.member = member;
    this.merchant = merchant;
    this.merchantIds = merchantIds;
  }
}

/**
 * Issues a member's tokens to an operator who tries the API.
 *
 * @throws NotOnProductionError, NotFoundError, NotACustomerError
 */
export async function issueTokensForTrial(
  { member: reference, merchant }: { readonly member: MemberReference; readonly merchant?: string | undefined },
  deps: AuditedDeps<typeof issueUserTokensStores>,
): Promise<IssuedTokens & { readonly memberId: number; readonly merchantId: number }> {
  if (deps.config.stage === 'production') throw new NotOnProductionError();
  const member = await findMember(reference, deps);
  const merchantId = await findMerchantOf(member, merchant, deps);
  return { memberId: member.user.id, merchantId, ...(await issueUserTokens({ member, merchantId }, deps)) };
}

/** Issues tokens with which a merchant acts for a member. */
export async function issueUserTokens(
  { member, merchantId }: { readonly member: Member; readonly merchantId: number },
  deps: AuditedDeps,
): Promise<IssuedTokens> {
  const grantId = deps.nextUuid();
  const { id: userId, uuid: userUuid } = member.user;
  const { accessToken, refreshToken, pair } = newTokenPair(deps, {
    organisationId: merchantId,
    userId,
    userUuid,
    grantId,
  });
  const createdAt = deps.now().toISOString();
  await writeAudited(
    {
      what: `issued user tokens of ${subjectText(memberSubject(member))} to organisation ${merchantId}`,
      writes: [
        ...grantWrites({ id: grantId, organisationId: merchantId, userId, createdAt }, pair),
        ...pairWrites(pair),
      ],
      conflict: () => new AlreadyExistsError({ kind: 'user token', id: grantId }),
    },
    deps,
  );
  return { accessToken, refreshToken, expiresAt: pair.access.expiresAt };
}

/** The merchant that was named, or else the member's only one. */
async function findMerchantOf(member: Member, text: string | undefined, deps: FindMemberDeps): Promise<number> {
  const ids = member.associations
    .filter(({ detachedAt }) => detachedAt === undefined)
    .map(({ merchantId }) => merchantId);
  if (text === undefined) {
    const [only, ...others] = ids;
    if (only === undefined || others.length > 0) throw new NotACustomerError(memberSubject(member), undefined, ids);
    return only;
  }
  const merchant = await findOrganisationOfKind(text, 'MERCHANT', deps);
  if (ids.includes(merchant.id)) return merchant.id;
  throw new NotACustomerError(memberSubject(member), organisationSubject(merchant), ids);
}
