import { VisuallyHidden } from 'react-aria-components/VisuallyHidden';
import { useAnnouncement } from './announce.ts';

/** The one region of the page whose changes screen readers say. See {@link announce}. */
export function LiveRegion() {
  const message = useAnnouncement();
  return (
    <VisuallyHidden role="status" aria-live="polite">
      {message}
    </VisuallyHidden>
  );
}
