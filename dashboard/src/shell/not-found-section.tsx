import { ButtonLink } from '../parts/button-link.tsx';
import { Empty } from '../parts/empty.tsx';
import { Page } from '../parts/page.tsx';

/** Stands in for a screen of something that does not exist, or that the person cannot see. */
export function NotFoundSection() {
  return (
    <Page title="There is nothing here">
      <Empty action={<ButtonLink to="/">Go to Home</ButtonLink>}>
        The address leads nowhere, or to something that your organisation cannot see.
      </Empty>
    </Page>
  );
}
