import { managementRefusals } from '../contracts/contract.ts';
import { RequestRefusedError } from './reply.ts';
import type { Headers } from './request.ts';

/**
 * The header that the dashboard sends with each request that changes something. A form cannot send it, and a page of
 * another origin may not: no reply of the management host permits it (CORS).
 */
export const dashboardHeader = 'x-rewards-dashboard';

/**
 * The header in which a page names the person for whom it was opened. The cookie of a browser may be another person's
 * meanwhile.
 */
export const personHeader = 'x-rewards-person';

/**
 * Requires that a page of the dashboard sent a request that changes something (CSRF). The session cookie alone does not
 * prove that: a browser may send it with a request of another page.
 *
 * @throws RequestRefusedError when another page may have sent the request
 */
export function requireOwnPage(headers: Headers, dashboardUrl: string): void {
  const { [dashboardHeader]: marked, origin, 'sec-fetch-site': site } = headers;
  const isOwn = marked === '1' && origin === dashboardUrl && (site === undefined || site === 'same-origin');
  if (isOwn) return;
  const { status, identifier } = managementRefusals.forged;
  throw new RequestRefusedError(status, identifier, 'The request did not come from a page of the dashboard');
}
