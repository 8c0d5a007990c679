import * as z from 'zod/mini';
import { type StaffPermission, staffPermissions } from '../../contracts/staff-permissions.ts';

/** The roles that a person can have in an organisation, in the order of every list. */
export const staffRoles = ['owner', 'editor', 'approver', 'analyst', 'developer'] as const;
export const StaffRole = z.enum(staffRoles);
export type StaffRole = z.infer<typeof StaffRole>;

/** Every person of an organisation sees these, whatever the role is. */
const everybody: readonly StaffPermission[] = ['organisation:read', 'people:read', 'campaigns:read', 'triggers:read'];

/** Everybody but analysts sees single transactions. */
const withTransactions: readonly StaffPermission[] = [...everybody, 'transactions:read'];

/** What each role may do, and what it is for. */
export const roleTable: Readonly<
  Record<StaffRole, { readonly label: string; readonly may: string; readonly permissions: readonly StaffPermission[] }>
> = {
  owner: {
    label: 'Owner',
    may: 'everything: invites people, gives roles, changes settings',
    permissions: staffPermissions,
  },
  editor: {
    label: 'Editor',
    may: 'writes campaigns and templates',
    permissions: [...withTransactions, 'campaigns:write', 'templates:write'],
  },
  approver: {
    label: 'Approver',
    may: 'approves and rejects campaigns; pauses, resumes, activates and ends them',
    permissions: [...withTransactions, 'campaigns:approve'],
  },
  analyst: {
    label: 'Analyst',
    may: 'sees figures and exports them',
    permissions: [...everybody, 'analytics:read'],
  },
  developer: {
    label: 'Developer',
    may: 'manages keys, clients, redirect URLs, webhooks and triggers',
    permissions: [
      ...withTransactions,
      ...(['triggers:write', 'credentials:read', 'credentials:write', 'webhooks:read', 'webhooks:write'] as const),
    ],
  },
};

/** Returns what a person with these roles may do. A permission that several roles grant occurs once. */
export function permissionsOf(roles: readonly StaffRole[]): StaffPermission[] {
  const granted = new Set(roles.flatMap((role) => roleTable[role].permissions));
  return staffPermissions.filter((permission) => granted.has(permission));
}

/** Returns the roles without repetitions, in the order of every list. */
export const sortRoles = (roles: readonly StaffRole[]): StaffRole[] =>
  staffRoles.filter((role) => roles.includes(role));

/** Returns the roles as people read them: `Owner and Editor`. */
export function roleWords(roles: readonly StaffRole[]): string {
  const labels = sortRoles(roles).map((role) => roleTable[role].label);
  const last = labels.at(-1) ?? 'no role';
  return labels.length > 1 ? `${labels.slice(0, -1).join(', ')} and ${last}` : last;
}
