import { ApiError } from '../api/api-error.ts';
import { instantText } from './times.ts';

/** Says why something failed, and what helps. */
export function failureText(error: unknown): string {
  if (!(error instanceof ApiError)) return 'Something failed in the application itself. Reload the page to go on.';
  if (error.isOffline) return 'The server does not answer. Check your connection, then try again.';
  if (error.status === 404) return 'It does not exist any more, or you cannot see it.';
  if (error.status === 403) return 'Your roles do not allow this. An owner of your organisation can change them.';
  if (error.isConflict) return `${changedText(error)} Load it again to see what is different.`;
  if (error.isPassing) return 'The server cannot answer at the moment. Nothing was changed. Try again shortly.';
  return sentence(error.message);
}

/** Whether somebody else changed the object after this page loaded it. */
export const isConflict = (error: unknown): error is ApiError => error instanceof ApiError && error.isConflict;

/** `Corner Coffee changed it meanwhile, today 14:02.` */
export function changedText({ change }: ApiError): string {
  const at = change?.at ? `, ${instantText(change.at, new Date())}` : '';
  return `${change?.by ?? 'Somebody else'} changed it meanwhile${at}.`;
}

const sentence = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1).replace(/\.$/, '')}.`;
