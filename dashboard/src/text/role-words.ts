import { roleTable, staffRoles } from '../../../shared/domain/staff/roles.ts';
import type { Role } from '../api/types.ts';
import { listText } from './numbers.ts';

/** The roles in the order of every list, each with what it may. */
export const roles: readonly { readonly role: Role; readonly label: string; readonly may: string }[] = staffRoles.map(
  (role) => ({
    role,
    label: roleTable[role].label,
    may: roleTable[role].may,
  }),
);

/** `Owner and Editor` */
export const rolesText = (own: readonly Role[]): string =>
  listText(roles.filter(({ role }) => own.includes(role)).map(({ label }) => label));
