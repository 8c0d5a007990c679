import { Button } from '../parts/button.tsx';
import { MessagePage } from '../parts/message-page.tsx';
import { failureText } from '../text/failure-text.ts';

/** Stands in for a page that could not be shown. */
export function FailedPage({ error, retry }: { readonly error: unknown; readonly retry: () => void }) {
  return (
    <MessagePage title="This page could not be shown" actions={<Button onPress={retry}>Try again</Button>}>
      {failureText(error)}
    </MessagePage>
  );
}
