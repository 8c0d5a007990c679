import { NotPermittedError } from '../errors.ts';
import { type AuditedDeps, auditRefusal } from '../write-audited.ts';

/**
 * Lets a person act on the own post only. The refusal is in the audit trail.
 *
 * @throws NotPermittedError when the id is another person's
 */
export async function requireOwnPerson(staffId: string, deps: AuditedDeps): Promise<void> {
  const staff = deps.author?.staff;
  if (!staff || staff.staffId === staffId) return;
  await auditRefusal({ staff, act: deps.author.command, what: 'lacks the permission people:write' }, deps);
  throw new NotPermittedError();
}
