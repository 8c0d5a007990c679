import { type ReactNode, useState } from 'react';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { TextField } from './text-field.tsx';

interface Props {
  /** The question, with the name of the object: "Delete Spring double?" */
  readonly question: string;
  readonly children: ReactNode;
  /** The act, with the name of the object: "Delete Spring double". */
  readonly act: string;
  /** The way out: "Keep it". */
  readonly keep: string;
  readonly isBusy: boolean;
  readonly isDanger?: boolean;
  /** A text that the person has to type first, for what cannot be taken back. */
  readonly typed?: string;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

/** Asks before an act whose effect others see. */
export function Confirm({ question, children, act, keep, isBusy, isDanger = true, typed, onConfirm, onClose }: Props) {
  const [text, setText] = useState('');
  const isReady = typed === undefined || text.trim() === typed.trim();
  return (
    <Dialog
      title={question}
      role="alertdialog"
      onClose={onClose}
      actions={
        <>
          <Button onPress={onClose}>{keep}</Button>
          <Button look={isDanger ? 'danger' : 'primary'} isBusy={isBusy} isDisabled={!isReady} onPress={onConfirm}>
            {act}
          </Button>
        </>
      }
    >
      <div>{children}</div>
      {typed !== undefined && (
        <TextField label={`Type “${typed}” to confirm`} value={text} onChange={setText} autoFocus />
      )}
    </Dialog>
  );
}
