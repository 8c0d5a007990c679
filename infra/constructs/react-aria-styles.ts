import { createHash } from 'node:crypto';

/**
 * The style elements that React Aria adds to the page. A content security policy allows them by the hashes of their
 * texts, which have to be exact. A test compares the texts with the installed version.
 */
export const reactAriaStyles = [
  `@layer {
  [data-react-aria-pressable] {
    touch-action: pan-x pan-y pinch-zoom;
  }
}`,
  `@layer {
  * {
    overscroll-behavior: contain;
  }
}`,
];

/** The hashes in the form of a content security policy. */
export const reactAriaStyleHashes = reactAriaStyles.map(
  (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`,
);
