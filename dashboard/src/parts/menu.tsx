import type { ReactNode } from 'react';
import { Button } from 'react-aria-components/Button';
import { Menu as AriaMenu, MenuItem, MenuTrigger } from 'react-aria-components/Menu';
import { Popover } from 'react-aria-components/Popover';
import { classes } from './classes.ts';
import { Icon } from './icon.tsx';
import styles from './menu.module.css';
import popup from './popup.module.css';

export interface MenuAct {
  readonly id: string;
  readonly label: string;
  /** Why the act is not possible now, or what it does. */
  readonly help?: string;
  readonly isDisabled?: boolean;
  /** For acts that cannot be taken back. */
  readonly isDanger?: boolean;
  readonly onAction: () => void;
}

interface Props {
  /** Names the menu for screen readers, such as "Acts of Spring double". */
  readonly label: string;
  readonly acts: readonly MenuAct[];
  /** The content of the button; three dots by default. */
  readonly children?: ReactNode;
  readonly className?: string | undefined;
  readonly onOpen?: () => void;
  /** Whether the menu is open as soon as it appears. */
  readonly isOpenAtFirst?: boolean;
}

/** A button that opens a list of acts. */
export function Menu({ label, acts, children, className, onOpen, isOpenAtFirst = false }: Props) {
  return (
    <MenuTrigger defaultOpen={isOpenAtFirst} onOpenChange={(isOpen) => isOpen && onOpen?.()}>
      <Button className={className ?? classes(styles.dots)} aria-label={label}>
        {children ?? <Icon name="more" />}
      </Button>
      <Popover className={classes(popup.popup)} placement="bottom end">
        <AriaMenu className={classes(popup.list)} items={acts}>
          {({ id, label: text, help, isDisabled = false, isDanger = false, onAction }) => (
            <MenuItem
              id={id}
              textValue={text}
              isDisabled={isDisabled}
              onAction={onAction}
              className={classes(popup.item, isDanger && popup.danger)}
            >
              <span className={classes(popup.text)}>
                {text}
                {help && <span className={classes(popup.help)}>{help}</span>}
              </span>
            </MenuItem>
          )}
        </AriaMenu>
      </Popover>
    </MenuTrigger>
  );
}
