import type { RefObject } from 'react';
import { Menu as AriaMenu, MenuItem } from 'react-aria-components/Menu';
import { Popover } from 'react-aria-components/Popover';
import { flushSync } from 'react-dom';
import { classes } from './classes.ts';
import popup from './popup.module.css';

/** An act of a menu. */
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
  readonly label: string;
  readonly acts: readonly MenuAct[];
  readonly trigger: RefObject<HTMLElement | null>;
  readonly onClose: () => void;
}

/** The open list of a menu. */
export function MenuPopup({ label, acts, trigger, onClose }: Props) {
  // The list is gone before the act begins, so a dialog of the act gives the focus back to the button of the menu.
  const act = (onAction: () => void) => {
    flushSync(onClose);
    trigger.current?.focus();
    onAction();
  };
  return (
    <Popover
      className={classes(popup.popup)}
      placement="bottom end"
      triggerRef={trigger}
      isOpen
      onOpenChange={(isOpen) => !isOpen && onClose()}
      aria-label={label}
    >
      <AriaMenu className={classes(popup.list)} items={acts} aria-label={label} onClose={onClose} autoFocus="first">
        {({ id, label: text, help, isDisabled = false, isDanger = false, onAction }) => (
          <MenuItem
            id={id}
            textValue={text}
            isDisabled={isDisabled}
            onAction={() => act(onAction)}
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
  );
}
