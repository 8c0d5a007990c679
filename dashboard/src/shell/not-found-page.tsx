import { Link } from '@tanstack/react-router';
import { MessagePage } from '../parts/message-page.tsx';

/** Nothing is at this address, or not for this person. */
export function NotFoundPage() {
  return (
    <MessagePage title="There is nothing here" actions={<Link to="/">Go to Home</Link>}>
      The address leads nowhere, or to something that you cannot see. It may belong to another organisation.
    </MessagePage>
  );
}
