import { permissions as allPermissions } from '../../../shared/contracts/contract.ts';
import type { LabelledKey } from '../../../shared/store/organisation/organisation-credentials.ts';
import { moment, table } from '../cli/text.ts';
import { keyIdOf } from '../find/keys.ts';

/** A partner key for scripts; its text is nowhere any more. */
export function keyView({ key, label }: LabelledKey) {
  const { organisationId, permissions, isRevoked, createdAt } = key;
  return { id: keyIdOf(key), organisationId, label, permissions, isRevoked, createdAt };
}

/** Partner keys for people. */
export function keysTable(keys: readonly LabelledKey[]): string {
  if (keys.length === 0) return 'none';
  return table(
    ['id', 'label', 'state', 'made', 'permissions'],
    keys.map((one) => {
      const { permissions, isRevoked, createdAt } = one.key;
      return [keyIdOf(one.key), one.label, stateOf(isRevoked), moment(createdAt), permissionsText(permissions)];
    }),
  );
}

/** What a key may do. */
export function permissionsText(permissions: readonly string[]): string {
  return allPermissions.every((name) => permissions.includes(name)) ? 'all' : permissions.join(' ');
}

/** Whether a key or client may still be used, in a word. */
export const stateOf = (isRevoked: boolean) => (isRevoked ? 'revoked' : 'good');
