import { Banner } from '../parts/banner.tsx';
import { Button } from '../parts/button.tsx';
import { Page } from '../parts/page.tsx';
import { failureText } from '../text/failure-text.ts';

/** Stands in for a screen that failed. The navigation beside it goes on working. */
export function FailedSection({ error, reset }: { readonly error: unknown; readonly reset: () => void }) {
  return (
    <Page title="This page could not be shown">
      <Banner tone="fault" action={<Button onPress={reset}>Try again</Button>}>
        <p>{failureText(error)}</p>
      </Banner>
    </Page>
  );
}
