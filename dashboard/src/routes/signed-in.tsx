import { createFileRoute } from '@tanstack/react-router';
import { useEffect } from 'react';
import { MessagePage } from '../parts/message-page.tsx';
import { tellSignedIn } from '../shell/signed-in-channel.ts';

/** The end of a sign-in in a window of its own. */
export const Route = createFileRoute('/signed-in')({ component: SignedIn });

function SignedIn() {
  useEffect(() => {
    tellSignedIn();
    close();
  }, []);
  return <MessagePage title="You are signed in">You can close this window, and go on in the other one.</MessagePage>;
}
