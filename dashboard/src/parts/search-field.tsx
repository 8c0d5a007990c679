import { Button } from 'react-aria-components/Button';
import { Input } from 'react-aria-components/Input';
import { SearchField as AriaSearchField } from 'react-aria-components/SearchField';
import { classes } from './classes.ts';
import field from './field.module.css';
import { Icon } from './icon.tsx';
import styles from './search-field.module.css';

interface Props {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** Narrows down a list by text. Its label is its placeholder. */
export function SearchField({ label, value, onChange }: Props) {
  return (
    <AriaSearchField aria-label={label} value={value} onChange={onChange} className={classes(styles.search)}>
      <span className={classes(field.control)}>
        <Icon name="search" />
        <Input className={classes(field.input)} placeholder={label} />
        <Button className={classes(styles.clear)}>
          <Icon name="close" />
        </Button>
      </span>
    </AriaSearchField>
  );
}
