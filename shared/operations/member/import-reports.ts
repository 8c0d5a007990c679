import { InvalidInputError } from '../../domain/errors.ts';
import { findTier, type MemberReport, type Registry, tiersInWords } from '../../domain/registry/registry.ts';
import { NotFoundError, subjectText } from '../errors.ts';
import { type ImportReport, type ImportRow, importRows, type PlannedRow } from '../import-rows.ts';
import { findOrganisation, organisationSubject } from '../organisation/find-organisation.ts';
import { type AuditedDeps, auditWrites } from '../write-audited.ts';
import { findMemberStores, memberSubject } from './manage-members.ts';
import { planReport, reportedIn, updateAttributes, updateAttributesStores } from './update-attributes.ts';

const importReportsStores = { ...findMemberStores, ...updateAttributesStores };
type ImportReportsDeps = AuditedDeps<typeof importReportsStores>;

/** A row of a file: what an organisation reports about one of its members. */
export interface ReportRow extends Omit<MemberReport, 'statusTierId'> {
  /** The organisation's own id of the member. */
  readonly externalId: string;
  /** The name or number of a status tier. */
  readonly tier?: string | undefined;
}

interface ReportsImport {
  /** A merchant or a partner, by id or exact name. */
  readonly organisation: string;
  readonly rows: readonly ImportRow<ReportRow>[];
  readonly isDryRun: boolean;
}

/**
 * Stores what an organisation reports about many of its members. Each row is checked against the registry, as a request
 * of the organisation itself is.
 *
 * @throws NotFoundError when there is no such organisation
 */
export async function importReports(
  { organisation, rows, isDryRun }: ReportsImport,
  deps: ImportReportsDeps,
): Promise<ImportReport> {
  const owner = await findOrganisation(organisation, deps);
  const registry = await deps.registries.find(owner.id);
  const seen = new Set<string>();

  const plan = async ({ externalId, tier, ...rest }: ReportRow): Promise<PlannedRow> => {
    // Rows are written in parallel, so if two rows were about one member, either of them could win.
    if (seen.has(externalId)) throw rowFault('id', 'repeated', 'is in an earlier row of the file');
    seen.add(externalId);
    const report = { ...rest, ...(tier !== undefined && { statusTierId: tierIdOf(tier, registry) }) };
    const member = await deps.members.findByExternalId(owner.id, externalId);
    if (!member) throw new NotFoundError({ kind: 'member', id: externalId }, { within: organisationSubject(owner) });
    const { isUnchanged } = planReport(member, report, registry);
    const what = `updated attributes of ${subjectText(memberSubject(member))} for ${subjectText(organisationSubject(owner))}`;
    return {
      outcome: isUnchanged ? 'unchanged' : 'changed',
      write: () =>
        updateAttributes(
          {
            userUuid: member.user.uuid,
            organisationId: owner.id,
            report,
            extraWrites: ({ before, after }) =>
              auditWrites(what, deps, { before: reportedIn(before), after: reportedIn(after) }),
          },
          deps,
        ),
    };
  };
  return importRows(rows, plan, { isDryRun });
}

function tierIdOf(written: string, { tiers }: Registry): number {
  const tier = findTier(written, tiers);
  if (tier) return tier.id;
  throw rowFault('tier', 'unknown_tier', `is not in the registry of status tiers: ${tiersInWords(tiers)}`);
}

const rowFault = (column: string, code: string, message: string) =>
  new InvalidInputError([{ path: [column], code, message }]);
