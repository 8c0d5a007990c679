import { createFileRoute } from '@tanstack/react-router';
import { signInAddress } from '../api/session.ts';
import button from '../parts/button.module.css';
import { classes } from '../parts/classes.ts';
import { MessagePage } from '../parts/message-page.tsx';

/** The one page for people who are not signed in. */
export const Route = createFileRoute('/sign-in')({
  validateSearch: ({ return_to }): { readonly return_to?: string } =>
    typeof return_to === 'string' && /^\/(?![/\\])/.test(return_to) ? { return_to } : {},
  component: SignIn,
});

function SignIn() {
  const { return_to: returnTo = '/' } = Route.useSearch();
  return (
    <MessagePage
      title="Sign in to Rewards"
      actions={
        <a className={classes(button.button, button.primary)} href={signInAddress(returnTo)}>
          Sign in
        </a>
      }
    >
      <p>
        {returnTo === '/'
          ? 'Build campaigns, approve them together with your partners, and see what they give.'
          : 'You are led back to the page that you asked for.'}
      </p>
    </MessagePage>
  );
}
