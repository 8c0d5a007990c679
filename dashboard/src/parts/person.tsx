import { classes } from './classes.ts';
import styles from './person.module.css';

interface Props {
  readonly name: string;
  /** A second line, such as the address. */
  readonly detail?: string | undefined;
}

/** A person as initials, name and a second line. */
export function Person({ name, detail }: Props) {
  return (
    <span className={classes(styles.person)}>
      <span className={classes(styles.initials)} aria-hidden="true">
        {initialsOf(name)}
      </span>
      <span className={classes(styles.text)}>
        <span className={classes(styles.name)}>{name}</span>
        {detail !== undefined && <span className={classes(styles.detail)}>{detail}</span>}
      </span>
    </span>
  );
}

const initialsOf = (name: string) =>
  name
    .split(/[\s@.]+/u)
    .slice(0, 2)
    .map((word) => [...word][0]?.toUpperCase() ?? '')
    .join('');
