import type { ReactNode } from 'react';
import { Dialog as AriaDialog } from 'react-aria-components/Dialog';
import { Heading } from 'react-aria-components/Heading';
import { Modal, ModalOverlay } from 'react-aria-components/Modal';
import { classes } from './classes.ts';
import styles from './dialog.module.css';

interface Props {
  /** Names the object: "Delete Spring double?" */
  readonly title: string;
  readonly children: ReactNode;
  /** The buttons, the safe one first. */
  readonly actions: ReactNode;
  readonly onClose: () => void;
  /** For a question that has to be answered. */
  readonly isPersistent?: boolean;
  readonly role?: 'dialog' | 'alertdialog';
}

/** A window over the page. It is open as long as it is rendered. */
export function Dialog({ title, children, actions, onClose, isPersistent = false, role = 'dialog' }: Props) {
  return (
    <ModalOverlay
      isOpen
      isDismissable={!isPersistent}
      isKeyboardDismissDisabled={isPersistent}
      onOpenChange={(isOpen) => !isOpen && onClose()}
      className={classes(styles.scrim)}
    >
      <Modal className={classes(styles.window)}>
        <AriaDialog role={role} className={classes(styles.dialog)}>
          <Heading slot="title" level={2} className={classes(styles.title)}>
            {title}
          </Heading>
          <div className={classes(styles.content)}>{children}</div>
          <div className={classes(styles.actions)}>{actions}</div>
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  );
}
