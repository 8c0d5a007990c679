/** What a person of an organisation may do at the dashboard. Roles grant these (shared/domain/staff/roles.ts). */
export const staffPermissions = [
  'organisation:read',
  'settings:write',
  'people:read',
  'people:write',
  'audit:read',
  'campaigns:read',
  'campaigns:write',
  'campaigns:approve',
  'templates:write',
  'triggers:read',
  'triggers:write',
  'credentials:read',
  'credentials:write',
  'webhooks:read',
  'webhooks:write',
  'transactions:read',
  'analytics:read',
] as const;
export type StaffPermission = (typeof staffPermissions)[number];
