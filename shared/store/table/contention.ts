/**
 * Other transactions on the same items kept getting in the way. Nothing was written; a retry may work. It stands
 * by itself: replies know it, and documents of replies load nothing of the table.
 */
export class ContentionError extends Error {
  override readonly name = 'ContentionError';
}
