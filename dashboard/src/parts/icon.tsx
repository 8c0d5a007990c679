import { classes } from './classes.ts';
import styles from './icon.module.css';

/** The lines of each icon, on a square of 20. */
const paths = {
  home: 'M3 9.5 10 4l7 5.5M5 8.5V16h3.5v-4h3v4H15V8.5',
  campaigns: 'M4 8v4h3l6 3.5v-11L7 8H4Zm3 4v4M16 8.5v3',
  approvals: 'M4 10.5 8 14.5 16.5 5.5',
  templates: 'M4 4h12v4H4zM4 11h5v5H4zM12 11h4v5h-4z',
  people: 'M7.5 9.5a3 3 0 1 0 0-6 3 3 0 0 0 0 6ZM2.5 16.5a5 5 0 0 1 10 0M13 4a3 3 0 0 1 0 5.5M14.5 12a5 5 0 0 1 3 4.5',
  audit: 'M5 3h10v14H5zM8 7h4M8 10h4M8 13h2',
  settings: 'M3 6h8M15 6h2M3 14h2M9 14h8M13 4v4M7 12v4',
  more: 'M4.5 10h.01M10 10h.01M15.5 10h.01',
  down: 'M6 8l4 4 4-4',
  right: 'M8 6l4 4-4 4',
  close: 'M5.5 5.5l9 9M14.5 5.5l-9 9',
  search: 'M9 14.5a5.5 5.5 0 1 0 0-11 5.5 5.5 0 0 0 0 11ZM13 13l4 4',
  check: 'M5 10.5 8.5 14 15 6.5',
  copy: 'M7 7h9v9H7zM4 13V4h9',
  lock: 'M5 9h10v7H5zM7 9V7a3 3 0 0 1 6 0v2',
  plus: 'M10 4v12M4 10h12',
  menu: 'M3 6h14M3 10h14M3 14h14',
  organisation: 'M4 17V4h8v13M12 8h4v9M7 7h2M7 10h2M7 13h2M3 17h14',
  warning: 'M10 3.5 18 17H2zM10 8.5v3.5M10 14.5h.01',
} as const;

export type IconName = keyof typeof paths;

/** A decorative icon: the text beside it, or the label of its button, says what it means. */
export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg className={classes(styles.icon)} viewBox="0 0 20 20" aria-hidden="true" focusable="false">
      <path d={paths[name]} />
    </svg>
  );
}
