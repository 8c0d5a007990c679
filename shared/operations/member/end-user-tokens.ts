import { maximumCount } from '../../contracts/limits.ts';
import type { Member } from '../../domain/member/member.ts';
import { Grants, grantRevocationWrites } from '../../store/credential/grants.ts';
import { ChangedMeanwhileError, type Subject, subjectText } from '../errors.ts';
import { decideAndWrite } from '../operation.ts';
import { findOrganisationOfKind } from '../organisation/find-organisation.ts';
import { type AuditedDeps, type Confirmable, writeAudited } from '../write-audited.ts';
import { findMember, findMemberStores, type MemberReference, memberSubject } from './manage-members.ts';

export const endUserTokensStores = { ...findMemberStores, grants: Grants };
type EndTokensDeps = AuditedDeps<typeof endUserTokensStores>;

/** The tokens to end: the tokens of a member, at one merchant or at all merchants. */
export interface TokensToEnd extends Confirmable<readonly EndedTokens[]> {
  readonly member: MemberReference;
  /** The merchant, by id or exact name. */
  readonly merchant?: string | undefined;
}

/** How many of the member's grants to one merchant end. Every token that came from these grants ends too. */
export interface EndedTokens {
  readonly merchantId: number;
  readonly grants: number;
}

/**
 * Ends a member's tokens. Refresh tokens end at once. User tokens stop working within the seconds for which they are
 * cached. The member may connect again, and keeps the accounts. Transaction tokens stay valid until they expire after
 * ten minutes. A repetition ends the remaining tokens, so a crash does no harm.
 *
 * @returns one entry per merchant that had tokens; an empty list when there were none
 * @throws NotFoundError when there is no such member or merchant
 */
export async function endUserTokens(wanted: TokensToEnd, deps: EndTokensDeps): Promise<EndedTokens[]> {
  const member = await findMember(wanted.member, deps);
  const only =
    wanted.merchant === undefined ? undefined : await findOrganisationOfKind(wanted.merchant, 'MERCHANT', deps);
  const merchantIds = member.associations
    .map(({ merchantId }) => merchantId)
    .filter((merchantId) => only === undefined || merchantId === only.id);
  const found = await Promise.all(
    merchantIds.map(async (merchantId) => {
      const active = await deps.grants.activeOf(member.user.id, merchantId);
      return { merchantId, grants: active.length };
    }),
  );
  const planned = found.filter(({ grants }) => grants > 0);
  if (planned.length === 0) return [];
  await wanted.confirm?.(planned);
  const ended: EndedTokens[] = [];
  for (const { merchantId } of planned) ended.push({ merchantId, grants: await endAt(member, merchantId, deps) });
  return ended;
}

/** Ends the tokens at one merchant, some grants at a time, and returns the number of grants. */
async function endAt(member: Member, merchantId: number, deps: EndTokensDeps): Promise<number> {
  const subject: Subject = { kind: 'user token', id: member.user.id };
  let ended = 0;
  for (;;) {
    const grantIds = await decideAndWrite(
      {
        subject: `the tokens of user ${member.user.id} at merchant ${merchantId}`,
        load: () => deps.grants.activeOf(member.user.id, merchantId),
        write: async (grants) => {
          const ids = grants.slice(0, maximumCount.grantsTogether).map(({ id }) => id);
          if (ids.length === 0) return ids;
          const context = { now: deps.now(), nextUuid: deps.nextUuid };
          await writeAudited(
            {
              what: `ended the tokens of ${subjectText(memberSubject(member))} at merchant ${merchantId}`,
              change: { before: { grants: ids }, after: { grants: [] } },
              writes: ids.flatMap((id) => grantRevocationWrites(id, context)),
              conflict: () => new ChangedMeanwhileError(subject, 'revoked'),
            },
            deps,
          );
          return ids;
        },
        conflicts: [ChangedMeanwhileError],
      },
      deps,
    );
    if (grantIds.length === 0) return ended;
    ended += grantIds.length;
    // If the process ends here, an event completes the revocation.
    await Promise.all(grantIds.map((id) => deps.grants.revokeFamily(id)));
  }
}
