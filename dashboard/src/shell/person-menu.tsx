import { signOut } from '../api/session.ts';
import type { Session } from '../api/types.ts';
import { classes } from '../parts/classes.ts';
import { Menu } from '../parts/menu.tsx';
import { Person } from '../parts/person.tsx';
import { toast } from '../parts/toast.tsx';
import { failureText } from '../text/failure-text.ts';
import styles from './organisation-switch.module.css';

/** The signed-in person, and how to sign out. */
export function PersonMenu({ session: { person } }: { readonly session: Session }) {
  const leave = async (isEverywhere: boolean) => {
    try {
      location.assign(await signOut({ isEverywhere }));
    } catch (error) {
      toast(failureText(error));
    }
  };
  return (
    <Menu
      label={`${person.name}: your account`}
      className={classes(styles.organisation, styles.button)}
      acts={[
        { id: 'sign-out', label: 'Sign out', onAction: () => leave(false) },
        {
          id: 'everywhere',
          label: 'Sign out everywhere',
          help: 'On all devices and in all browsers',
          onAction: () => leave(true),
        },
      ]}
    >
      <Person name={person.name} detail={person.name === person.email ? undefined : person.email} />
    </Menu>
  );
}
