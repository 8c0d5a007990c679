import { rolesCheck } from '../../store/staff/people.ts';
import type { Check } from '../../store/table/table-client.ts';
import { NotPermittedError } from '../errors.ts';
import type { AuditedDeps } from '../write-audited.ts';

/**
 * The check that the person who acts still has the roles that allow the act, at the moment of the write. So of two
 * owners who remove each other only one is removed.
 *
 * @param changedId the person whose post the write changes: its own conditions include the check
 */
export function authorChecks({ author }: Pick<AuditedDeps, 'author'>, changedId?: string): Check[] {
  if (!author?.staff || author.staff.staffId === changedId) return [];
  return [rolesCheck(author.staff, new NotPermittedError())];
}
