import { createFileRoute } from '@tanstack/react-router';
import { signInAddress } from '../api/session.ts';
import { Banner } from '../parts/banner.tsx';
import button from '../parts/button.module.css';
import { classes } from '../parts/classes.ts';
import { MessagePage } from '../parts/message-page.tsx';

interface Search {
  readonly return_to?: string;
  /** Why the last sign-in failed. */
  readonly problem?: string;
  /** Leads operators to the request in the log. */
  readonly request_id?: string;
}

/** The one page for people who are not signed in. */
export const Route = createFileRoute('/sign-in')({
  validateSearch: ({ return_to, problem, request_id }): Search => ({
    ...(typeof return_to === 'string' && /^\/(?![/\\])/.test(return_to) && { return_to }),
    ...(typeof problem === 'string' && { problem }),
    ...(typeof request_id === 'string' && { request_id }),
  }),
  component: SignIn,
});

function SignIn() {
  const { return_to: returnTo = '/', problem, request_id: requestId } = Route.useSearch();
  return (
    <MessagePage
      title="Sign in to Rewards"
      actions={
        // After a problem the sign-in service has to ask who it is: it may remember a person who is not invited.
        <a className={classes(button.button, button.primary)} href={signInAddress(returnTo, problem !== undefined)}>
          Sign in
        </a>
      }
    >
      {problem === undefined ? (
        <p>
          {returnTo === '/'
            ? 'Build campaigns, approve them together with your partners, and see what they give.'
            : 'You are led back to the page that you asked for.'}
        </p>
      ) : (
        <Banner tone="fault" title="You are not signed in">
          {problemText[problem] ??
            `The sign-in failed. If it fails again, give your operator this number: ${requestId}.`}
        </Banner>
      )}
    </MessagePage>
  );
}

const problemText: Readonly<Record<string, string>> = {
  sign_in_expired: 'The sign-in took more than ten minutes, or began in another browser.',
  sign_in_cancelled: 'The sign-in was ended before it was complete.',
  email_not_verified: 'Your e-mail address is not verified yet.',
  not_invited: 'Nobody invited this address, or the invitation is over. Ask an owner of your organisation.',
};
