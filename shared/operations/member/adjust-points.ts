import { isUuid } from '../../domain/ids.ts';
import {
  AdjustmentNotAllowedError,
  approveAdjustment,
  decideAdjustment,
  isOpenProposal,
  type ManualAdjustment,
  refuseAdjustment,
  type Signature,
  type WantedAdjustment,
} from '../../domain/ledger/manual-adjustment.ts';
import type { Membership, User } from '../../domain/member/member.ts';
import type { Organisation } from '../../domain/organisation.ts';
import {
  decidedAdjustmentWrites,
  ManualAdjustments,
  newAdjustmentWrites,
} from '../../store/ledger/manual-adjustments.ts';
import { AlreadyExistsError, ChangedMeanwhileError, NotFoundError, subjectText } from '../errors.ts';
import { signatureOf } from '../move-points.ts';
import { decideAndWrite } from '../operation.ts';
import { findOrganisationOfKind, organisationSubject } from '../organisation/find-organisation.ts';
import { type AuditedDeps, type Author, type Confirmable, writeAudited } from '../write-audited.ts';
import { findMember, findMemberStores, type MemberReference } from './manage-members.ts';

const adjustPointsStores = { ...findMemberStores, adjustments: ManualAdjustments };

/**
 * An adjustment always has an author, because the rule of two persons compares the approving operator with the author.
 */
export type AdjustDeps = AuditedDeps<typeof adjustPointsStores> & { readonly author: Author };

/** A new adjustment as an operator asks for it. */
export interface AdjustmentRequest
  extends Pick<WantedAdjustment, 'points' | 'reason' | 'reference'>,
    Confirmable<ManualAdjustment> {
  readonly member: MemberReference;
  /** Id or exact name of the partner whose program has the account. */
  readonly program: string;
}

/** An adjustment, and whether an earlier call had written it. */
export interface AdjustmentResult {
  readonly adjustment: ManualAdjustment;
  readonly isRepeated: boolean;
}

/**
 * Adds points to an account or takes available points from it. In one month, at most `maximumPointsAdjustedAlone`
 * points of an account may be adjusted without a second person, and one operator may move at most
 * `maximumPointsMovedAlone`. Above either bound, this function writes a proposal, which moves nothing until another
 * operator approves it. Each reference adjusts an account once: a repeated call returns the adjustment of the first
 * call.
 *
 * @throws AdjustmentNotAllowedError when the program is not hosted, or the points to take are not available
 * @throws AlreadyExistsError when the reference belongs to a different adjustment of the account
 * @throws NotFoundError, WrongOrganisationKindError
 */
export async function adjustPoints(
  { member: reference, program, confirm, ...asked }: AdjustmentRequest,
  deps: AdjustDeps,
): Promise<AdjustmentResult> {
  const { user } = await findMember(reference, deps);
  const partner = await findOrganisationOfKind(program, 'PARTNER', deps);
  const wanted: WantedAdjustment = { ...asked, userId: user.id, partnerId: partner.id };
  const ids = deps.nextIds();
  const proposed = await signatureOf(deps);
  let isConfirmed = false;
  return decideAndWrite(
    {
      subject: `an adjustment of member ${user.id} in program ${partner.id}`,
      load: async () => {
        const earlier = await findEarlier(wanted, user, deps);
        if (earlier) return { earlier };
        const account = await loadAccount(wanted, partner, deps);
        const month = await deps.sequences.platformMonth(deps.now());
        const alone = await deps.adjustments.movedAlone(wanted, proposed, month);
        return { account, alone, month };
      },
      write: async (found) => {
        if ('earlier' in found) return { adjustment: sameAs(wanted, found.earlier), isRepeated: true };
        const adjustment = decideAdjustment(wanted, { ...found, ...ids }, proposed);
        if (!isConfirmed) await confirm?.(adjustment);
        isConfirmed = true;
        const what = `${adjustment.state === 'APPLIED' ? 'adjusted' : 'proposed to adjust'} ${textOf(adjustment)}`;
        await writeDecision(
          adjustment,
          { what, before: null, writes: newAdjustmentWrites(adjustment, found.month) },
          deps,
        );
        return { adjustment, isRepeated: false };
      },
      conflicts: [ChangedMeanwhileError],
    },
    deps,
  );
}

/**
 * Applies a proposal. The proposer may not approve it; the proven identities of the operators are compared.
 *
 * @throws AdjustmentNotAllowedError when the proposal is no longer open, its proposer approves it, or the points to
 * take are not available
 * @throws NotFoundError
 */
export function approveProposal(
  { uuid, confirm }: { readonly uuid: string } & Confirmable<ManualAdjustment>,
  deps: AdjustDeps,
): Promise<ManualAdjustment> {
  const approve = async (proposal: ManualAdjustment, decided: Signature) => {
    const partner = await findOrganisationOfKind(String(proposal.partnerId), 'PARTNER', deps);
    const account = await loadAccount(proposal, partner, deps);
    const approved = approveAdjustment(proposal, account, decided);
    await confirm?.(approved);
    return { decision: approved, what: 'approved to adjust' };
  };
  return decideProposal(uuid, approve, deps);
}

/**
 * Refuses a proposal. Its proposer withdraws it with the same call.
 *
 * @throws AdjustmentNotAllowedError when the proposal is no longer open
 * @throws NotFoundError
 */
export function refuseProposal(uuid: string, deps: AdjustDeps): Promise<ManualAdjustment> {
  const refuse = async (proposal: ManualAdjustment, decided: Signature) => ({
    decision: refuseAdjustment(proposal, decided),
    what: 'refused to adjust',
  });
  return decideProposal(uuid, refuse, deps);
}

/** Loads the open proposals, or all adjustments that were proposed in a month (`2026-11`, UTC); the newest first. */
export async function listAdjustments(month: string | undefined, deps: AdjustDeps): Promise<ManualAdjustment[]> {
  if (month !== undefined) return (await deps.adjustments.of(month)).toReversed();
  const now = deps.now();
  // A proposal is valid for less than a month. So an open proposal was made in this month or in the month before.
  const thisMonth = now.toISOString().slice(0, 'yyyy-mm'.length);
  const firstDay = new Date(`${thisMonth}-01T00:00:00Z`);
  const lastMonth = new Date(firstDay.getTime() - 1).toISOString().slice(0, 'yyyy-mm'.length);
  const found = [...(await deps.adjustments.of(lastMonth)), ...(await deps.adjustments.of(thisMonth))];
  return found.filter((adjustment) => isOpenProposal(adjustment, now)).toReversed();
}

type Decide = (
  proposal: ManualAdjustment,
  decided: Signature,
) => Promise<{ readonly decision: ManualAdjustment; readonly what: string }>;

async function decideProposal(uuid: string, decide: Decide, deps: AdjustDeps): Promise<ManualAdjustment> {
  const decided = await signatureOf(deps);
  return decideAndWrite(
    {
      subject: `adjustment ${uuid}`,
      load: async () => {
        const found = isUuid(uuid) ? await deps.adjustments.find(uuid) : undefined;
        if (!found) throw new NotFoundError({ kind: 'adjustment', id: uuid });
        return found;
      },
      write: async (proposal) => {
        const { decision, what } = await decide(proposal, decided);
        const writes = decidedAdjustmentWrites(decision);
        await writeDecision(decision, { what: `${what} ${textOf(decision)}`, before: proposal, writes }, deps);
        return decision;
      },
      conflicts: [ChangedMeanwhileError],
    },
    deps,
  );
}

interface DecisionToWrite extends Pick<Parameters<typeof writeAudited>[0], 'what' | 'writes'> {
  readonly before: ManualAdjustment | null;
}

function writeDecision(after: ManualAdjustment, { before, ...written }: DecisionToWrite, deps: AdjustDeps) {
  const conflict = () => new ChangedMeanwhileError({ kind: 'adjustment', id: after.uuid });
  const change = { before: before && auditedOf(before), after: auditedOf(after) };
  return writeAudited({ ...written, change, conflict }, deps);
}

const auditedOf = ({ uuid, state, points, reason, reference }: ManualAdjustment) => ({
  ...{ uuid, state, points, reason, reference },
});

/** Loads the account of an adjustment. If the partner runs the program itself, only the partner may adjust balances. */
async function loadAccount(
  { userId, partnerId }: Pick<WantedAdjustment, 'userId' | 'partnerId'>,
  partner: Organisation,
  { members }: AdjustDeps,
): Promise<Membership> {
  const subject = organisationSubject(partner);
  if (partner.program?.kind === 'http') {
    throw new AdjustmentNotAllowedError(
      `the program of ${subjectText(subject)} is the partner’s own, which keeps the balance: adjust it there, and the ledger follows`,
    );
  }
  const account = await members.findMembership(userId, partnerId);
  if (account) return account;
  throw new NotFoundError({ kind: 'program account', id: userId }, { within: subject });
}

/** The account's earlier adjustment with the same reference. Its member may have been merged into this member since. */
async function findEarlier(
  { partnerId, reference }: WantedAdjustment,
  { id, formerIds = [] }: User,
  { adjustments }: AdjustDeps,
): Promise<ManualAdjustment | undefined> {
  const ids = [id, ...formerIds];
  const found = await Promise.all(ids.map((userId) => adjustments.findByReference({ userId, partnerId }, reference)));
  return found.find((adjustment) => adjustment !== undefined);
}

/** The adjustment that an earlier call wrote. @throws AlreadyExistsError when the earlier one is different */
function sameAs({ points, userId, reference }: WantedAdjustment, earlier: ManualAdjustment): ManualAdjustment {
  if (points === earlier.points) return earlier;
  throw new AlreadyExistsError(
    { kind: 'adjustment', id: reference },
    { kind: 'member', id: userId, name: `${earlier.points} points` },
  );
}

const textOf = ({ uuid, userId, partnerId, points, reference }: ManualAdjustment) =>
  `member ${userId} in program ${partnerId} by ${points} points (adjustment ${uuid}, reference ${reference})`;
