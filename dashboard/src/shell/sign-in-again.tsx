import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { sessionQuery, signInAddress } from '../api/session.ts';
import { answerSignIn, type SignInReason } from '../api/session-gate.ts';
import type { Session } from '../api/types.ts';
import { Button } from '../parts/button.tsx';
import { ButtonAnchor } from '../parts/button-anchor.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { onSignedIn } from './signed-in-channel.ts';

const words: Readonly<
  Record<SignInReason, { readonly title: string; readonly text: string; readonly button: string }>
> = {
  ended: {
    title: 'Your session has ended',
    text: 'Sign in again to go on. Everything that you typed is still here.',
    button: 'Sign in',
  },
  confirm: {
    title: 'Confirm that it is you',
    text: 'This change needs a sign-in of the last 15 minutes. Everything that you typed is still here.',
    button: 'Confirm',
  },
};

interface Props {
  readonly session: Session;
  readonly reason: SignInReason;
}

/** Asks for a sign-in in a window of its own while calls wait for it, so that this page loses nothing. */
export function SignInAgain({ session, reason }: Props) {
  const queryClient = useQueryClient();
  useEffect(() => {
    return onSignedIn(async () => {
      const now = await queryClient.fetchQuery({ ...sessionQuery, staleTime: 0 }).catch(() => null);
      if (now !== null && now.person.id !== session.person.id) location.assign('/');
      else if (now !== null) answerSignIn(true);
    });
  }, [queryClient, session.person.id]);
  const { title, text, button } = words[reason];
  return (
    <Dialog
      title={title}
      isPersistent
      onClose={() => answerSignIn(false)}
      actions={
        <>
          <Button onPress={() => answerSignIn(false)}>Not now</Button>
          <ButtonAnchor href={signInAddress('/signed-in', reason === 'confirm')}>{button}</ButtonAnchor>
        </>
      }
    >
      <p>{text} It opens in a window of its own.</p>
    </Dialog>
  );
}
