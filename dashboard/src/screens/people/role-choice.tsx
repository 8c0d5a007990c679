import type { Role } from '../../api/types.ts';
import { Checkbox } from '../../parts/checkbox.tsx';
import { roles } from '../../text/role-words.ts';
import styles from './people.module.css';

interface Props {
  readonly value: readonly Role[];
  readonly onChange: (roles: Role[]) => void;
  readonly fault?: string | undefined;
}

/** The roles of a person, several at once, each with what it may. */
export function RoleChoice({ value, onChange, fault }: Props) {
  const set = (role: Role, isSelected: boolean) =>
    onChange(isSelected ? [...value, role] : value.filter((one) => one !== role));
  return (
    <fieldset className={styles.roles} aria-describedby={fault === undefined ? undefined : 'roles-fault'}>
      <legend>Roles</legend>
      {roles.map(({ role, label, may }) => (
        <Checkbox
          key={role}
          help={sentence(may)}
          isSelected={value.includes(role)}
          onChange={(isSelected) => set(role, isSelected)}
        >
          {label}
        </Checkbox>
      ))}
      {fault !== undefined && (
        <p id="roles-fault" className={styles.fault}>
          {fault}
        </p>
      )}
    </fieldset>
  );
}

const sentence = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
