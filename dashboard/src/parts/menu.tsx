import { lazy, type ReactNode, Suspense, useRef, useState } from 'react';
import { Button } from 'react-aria-components/Button';
import { classes } from './classes.ts';
import { Icon } from './icon.tsx';
import styles from './menu.module.css';
import type { MenuAct } from './menu-popup.tsx';

export type { MenuAct };

/** Loads the list of menus. The first screen does not wait for it: it is loaded when the browser has time. */
export const loadMenuPopup = () => import('./menu-popup.tsx');
const MenuPopup = lazy(() => loadMenuPopup().then((module) => ({ default: module.MenuPopup })));

interface Props {
  /** Names the list for screen readers, such as "Acts of Spring double". It names the dots too; a text names itself. */
  readonly label: string;
  readonly acts: readonly MenuAct[];
  /** The content of the button; three dots by default. */
  readonly children?: ReactNode;
  readonly className?: string | undefined;
  readonly onOpen?: () => void;
}

/** A button that opens a list of acts. */
export function Menu({ label, acts, children, className, onOpen }: Props) {
  const button = useRef<HTMLButtonElement>(null);
  const [isOpen, setOpen] = useState(false);
  const open = () => {
    setOpen(true);
    onOpen?.();
  };
  return (
    <>
      <Button
        ref={button}
        className={className ?? classes(styles.dots)}
        {...(children === undefined && { 'aria-label': label })}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        onHoverStart={loadMenuPopup}
        onPress={open}
        onKeyDown={(event) => event.key === 'ArrowDown' && open()}
      >
        {children ?? <Icon name="more" />}
      </Button>
      {isOpen && (
        <Suspense>
          <MenuPopup label={label} acts={acts} trigger={button} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
