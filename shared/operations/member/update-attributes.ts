import { isDeepStrictEqual } from 'node:util';
import { InvalidInputError, UserNotFoundError } from '../../domain/errors.ts';
import { integerIdOf } from '../../domain/ids.ts';
import { isAssociated, isNamedBy, type Member } from '../../domain/member/member.ts';
import {
  applyReport,
  findReportFaults,
  type MemberReport,
  type OwnRecords,
  ownRecordsOf,
  type Registry,
} from '../../domain/registry/registry.ts';
import { associationChangeWrites, Members, tierWrite } from '../../store/member/members.ts';
import { Registries } from '../../store/organisation/registries.ts';
import { ConditionFailedError, type Write } from '../../store/table/table-client.ts';
import { type Deps, decideAndWrite, type Replying } from '../operation.ts';

export const updateAttributesStores = { members: Members, registries: Registries };
type UpdateDeps = Deps<typeof updateAttributesStores> & Replying<UpdatedMember>;

/** What an organisation reports about one of its members. */
export interface AttributesUpdate {
  readonly userUuid: string;
  /** A merchant, or the partner of a program. */
  readonly organisationId: number;
  readonly report: MemberReport;
  /** Makes writes of the same transaction, such as a row of the audit trail. */
  readonly extraWrites?: (planned: PlannedReport) => Promise<Write[]>;
}

/** A member after a report, with the records that belong to the organisation. */
export interface UpdatedMember {
  readonly user: Member['user'];
  readonly own: OwnRecords;
}

/** A report that has no fault, with the organisation's records before and after it. */
export interface PlannedReport {
  readonly member: Member;
  readonly before: OwnRecords;
  readonly after: OwnRecords;
  readonly isUnchanged: boolean;
}

/**
 * Decides what a report changes.
 *
 * @throws InvalidInputError with every violation of the organisation's registry
 */
export function planReport(member: Member, report: MemberReport, registry: Registry): PlannedReport {
  const before = ownRecordsOf(member, registry.organisationId);
  const faults = findReportFaults(report, before, registry);
  if (faults.length > 0) throw new InvalidInputError(faults);
  const after = applyReport(report, before);
  return { member, before, after, isUnchanged: isDeepStrictEqual(reportedIn(before), reportedIn(after)) };
}

/** The values of an organisation's records that a report can change. Absent attributes count as an empty list. */
export function reportedIn({ association, membership }: OwnRecords) {
  return {
    ...(association && { attributes: association.attributes ?? {}, location: association.location ?? null }),
    ...(membership && { statusTierId: membership.statusTierId }),
  };
}

/**
 * Stores what a merchant reports about its customer, or a partner about a member of its program. Earlier decisions
 * about rewards do not change. A repeated update writes nothing.
 *
 * Takes one round trip, and the write.
 *
 * @throws UserNotFoundError when the user is neither a customer of the organisation nor in its program
 * @throws InvalidInputError with every violation of the organisation's registry
 */
export function updateAttributes(
  { userUuid, organisationId, report, extraWrites }: AttributesUpdate,
  deps: UpdateDeps,
): Promise<UpdatedMember> {
  const userId = integerIdOf(userUuid) ?? 0;
  return decideAndWrite(
    {
      subject: `what organisation ${organisationId} reports about user ${userId}`,
      load: () => Promise.all([deps.members.find(userId), deps.registries.find(organisationId)]),
      write: async ([member, registry]) => {
        if (!member || !isNamedBy(member, userUuid) || !isAssociated(member, organisationId))
          throw new UserNotFoundError();
        const planned = planReport(member, report, registry);
        const updated: UpdatedMember = { user: member.user, own: planned.after };
        if (planned.isUnchanged) return updated;
        const more = [...((await extraWrites?.(planned)) ?? []), ...(deps.replyWrites?.(updated) ?? [])];
        await deps.table.transact([...reportWrites(planned), ...more]);
        return updated;
      },
      // Another report, a link or an unlink was faster.
      conflicts: [ConditionFailedError],
    },
    deps,
  );
}

function reportWrites({ before, after }: PlannedReport): Write[] {
  const { association } = before;
  const { location, attributes } = after.association ?? {};
  const isReported = !isDeepStrictEqual(
    reportedIn({ ...before, membership: undefined }),
    reportedIn({ ...after, membership: undefined }),
  );
  // A link in progress also merges attributes. The changed revision makes that link decide again.
  const linkRevision = (association?.linkRevision ?? 0) + 1;
  const set = { linkRevision, ...(location && { location }), ...(attributes && { attributes }) };
  return [
    ...(association && isReported ? associationChangeWrites({ association, set }) : []),
    ...(before.membership && after.membership && before.membership.statusTierId !== after.membership.statusTierId
      ? [tierWrite(before.membership, after.membership.statusTierId)]
      : []),
  ];
}
