import { useNavigate } from '@tanstack/react-router';
import type { Membership, Session } from '../api/types.ts';
import { classes } from '../parts/classes.ts';
import { Icon } from '../parts/icon.tsx';
import { Menu } from '../parts/menu.tsx';
import styles from './organisation-switch.module.css';

interface Props {
  readonly session: Session;
  readonly organisation: Membership;
}

/** The organisation for which the person acts, and the way to the person's others. */
export function OrganisationSwitch({ session, organisation }: Props) {
  const navigate = useNavigate();
  const content = (
    <>
      <span className={classes(styles.text)}>
        <span className={classes(styles.name)}>{organisation.name}</span>
        {session.isSandbox && <span className={classes(styles.sandbox)}>Sandbox</span>}
      </span>
      {session.organisations.length > 1 && <Icon name="down" />}
    </>
  );
  if (session.organisations.length < 2) return <div className={classes(styles.organisation)}>{content}</div>;
  return (
    <Menu
      label={`${organisation.name}: switch organisation`}
      className={classes(styles.organisation, styles.button)}
      acts={session.organisations.map(({ id, name }) => ({
        id: String(id),
        label: name,
        onAction: () => navigate({ to: '/$organisation', params: { organisation: String(id) } }),
      }))}
    >
      {content}
    </Menu>
  );
}
