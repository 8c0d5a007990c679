import { validityMs } from '../contracts/limits.ts';
import { type StaffRole, sortRoles } from '../domain/staff/roles.ts';
import { type AuditEntry, auditWrite } from '../store/organisation/audit.ts';
import {
  type OrganisationAuditEntry,
  organisationAuditWrite,
  refusalWrites,
} from '../store/staff/organisation-audit.ts';
import { type Check, ConditionFailedError, type Item, type Write } from '../store/table/table-client.ts';
import type { Deps, StoreClasses } from './operation.ts';

/** A person who acts for an organisation at the dashboard, with the roles that allow it. */
export interface StaffAct {
  readonly staffId: string;
  readonly organisationId: number;
  readonly roles: readonly StaffRole[];
}

/** The person or script that makes a change, for the audit trail. */
export interface Author {
  /** Returns the proven identity of the operator. Called only before a write. */
  readonly operator: () => Promise<string>;
  /** The person for whom the operator acts, as the operator states it. */
  readonly actor: string | null;
  /** The command, such as `key revoke`; of a person at the dashboard the kind of the act, such as `change roles`. */
  readonly command: string;
  /** Identifies this run of the command. */
  readonly run?: string;
  /** The person at the dashboard. Such an act is in the audit trail of its organisation, others are in the operators'. */
  readonly staff?: StaffAct;
}

/** The author of what a person does at the dashboard. The session has proved the person's identity. */
export const staffAuthor = (staff: StaffAct, act: string): Author => ({
  operator: () => Promise.resolve(`staff ${staff.staffId}`),
  actor: null,
  command: act,
  staff,
});

/**
 * Deps of operations that manage the platform. An audit row is written only if there is an author: seeds and tests have
 * none.
 */
export type AuditedDeps<Classes extends StoreClasses = Readonly<Record<never, never>>> = Deps<Classes> & {
  readonly author?: Author;
};

/** A change that an operation has decided. */
export interface AuditedChange {
  /** One sentence for the audit trail. It never contains a secret. */
  readonly what: string;
  /** The changed values before and after, for the audit trail. They never contain a secret. */
  readonly change?: AuditEntry['change'];
  readonly writes: readonly (Write | Check)[];
  /** Makes the error for a failed condition, from the item that the first failed write found. */
  readonly conflict: (found: Item | null) => Error;
}

/** Lets a caller stop a change that cannot be undone: `confirm` receives the planned outcome, and throws to stop it. */
export interface Confirmable<Planned> {
  readonly confirm?: ((planned: Planned) => Promise<void>) | undefined;
}

/**
 * Writes a change and its row in the audit trail, both or neither.
 *
 * @throws the error of `conflict` when a condition failed
 */
export async function writeAudited(
  { what, change, writes, conflict }: AuditedChange,
  deps: AuditedDeps,
): Promise<void> {
  try {
    await deps.table.transact([...writes, ...(await auditWrites(what, deps, change))]);
  } catch (error) {
    if (!(error instanceof ConditionFailedError)) throw error;
    const [found = null] = error.found.values();
    throw conflict(found);
  }
}

/** The proven identity of the operator; null when there is no author. */
export const operatorOf = async ({ author }: AuditedDeps): Promise<string | null> =>
  author ? author.operator() : null;

/** The row of a change in the audit trail, for operations that write their change themselves. */
export async function auditWrites(what: string, deps: AuditedDeps, change?: AuditEntry['change']): Promise<Write[]> {
  const { author, nextUuid, now } = deps;
  if (!author) return [];
  if (author.staff) return [staffAuditWrite({ staff: author.staff, act: author.command, what, change }, deps)];
  const { actor, command, run } = author;
  const [id, at, operator] = [nextUuid(), now().toISOString(), await author.operator()];
  return [
    auditWrite({
      id,
      at,
      operator,
      actor,
      command,
      what,
      ...(run !== undefined && { run }),
      ...(change && { change }),
    }),
  ];
}

/** An act of a person at the dashboard, for the audit trail of the organisation. */
export interface AuditedAct {
  readonly staff: StaffAct;
  /** The kind of the act, such as `sign in`. */
  readonly act: string;
  /** One sentence without secrets and personal data. */
  readonly what: string;
  readonly change?: OrganisationAuditEntry['change'];
}

/** The row of an act in the audit trail of its organisation. */
export const staffAuditWrite = (act: AuditedAct, deps: Pick<AuditedDeps, 'nextUuid' | 'now'>): Write =>
  organisationAuditWrite(entryOf(act, 'done', deps));

function entryOf(
  { staff: { staffId, organisationId, roles }, act, what, change }: AuditedAct,
  outcome: OrganisationAuditEntry['outcome'],
  { nextUuid, now }: Pick<AuditedDeps, 'nextUuid' | 'now'>,
): OrganisationAuditEntry {
  const at = now().toISOString();
  return {
    ...{ id: nextUuid(), at, organisationId, staffId, roles: sortRoles(roles), act, outcome, what },
    ...(change && { change }),
  };
}

/**
 * Writes into the audit trail that a person was refused an act: the same refusal at most once an hour, so that nobody
 * fills the table with refusals. Nothing else is written.
 */
export async function auditRefusal(
  act: Omit<AuditedAct, 'change'>,
  deps: Pick<AuditedDeps, 'nextUuid' | 'now' | 'table'>,
): Promise<void> {
  const until = new Date(deps.now().getTime() + validityMs.auditedRefusal);
  try {
    await deps.table.transact(refusalWrites(entryOf(act, 'refused', deps), until));
  } catch (error) {
    if (!(error instanceof ConditionFailedError)) throw error;
  }
}
