import * as z from 'zod/mini';
import type { ConnectSession } from '../domain/connect/connect-session.ts';
import type { Partnership } from '../domain/partnership.ts';

/** An HTML page, or a redirect to another page. */
export const Page = z.object({
  status: z.int(),
  html: z.string(),
  location: z.optional(z.string()),
  /** The origins to which the page's form may lead, directly or by a redirect. */
  formActions: z.array(z.string()),
});
export type Page = z.infer<typeof Page>;

const style =
  'body{font:16px/1.5 system-ui,sans-serif;max-width:26rem;margin:3rem auto;padding:0 1rem}label{display:block;margin:.75rem 0}input,select,button{font:inherit;width:100%;padding:.5rem;box-sizing:border-box}.problem{color:#a00}';

/** The form of a connect session. */
interface ConnectForm {
  readonly session: ConnectSession;
  readonly merchantName: string;
  readonly partnerships: readonly Partnership[];
  /** The merchant's address for a person who cancels; null when the merchant gave no address. */
  readonly cancelUri: string | null;
  /** The URL that the form is sent to. */
  readonly action: string;
  /** The reason why the last try failed. */
  readonly problem?: string;
}

/** The form in which a person names an account and proves that it is theirs. */
export function connectForm({ session, merchantName, partnerships, cancelUri, action, problem }: ConnectForm): Page {
  const options = partnerships
    .map(({ partnerId, name }) => `<option value="${partnerId}">${escaped(name)}</option>`)
    .join('');
  const form =
    partnerships.length === 0
      ? '<p>There is nothing to link here.</p>'
      : `<form method="post" action="${escaped(action)}">
${customerText(session.user, merchantName)}
<label>Program<select name="partner_id">${options}</select></label>
<label>Membership number<input name="member_id" required maxlength="255" autocomplete="off"></label>
<label>PIN<input name="proof" type="password" required maxlength="255" autocomplete="off"></label>
<button type="submit">Link</button>
</form>`;
  const cancel =
    cancelUri === null
      ? ''
      : `<p><a href="${escaped(cancelUri)}">Cancel and return to ${escaped(merchantName)}</a></p>`;
  const trouble = problem === undefined ? '' : `<p class="problem" role="alert">${escaped(problem)}</p>`;
  return {
    status: problem === undefined ? 200 : 400,
    html: page(`Link your account with ${merchantName}`, `${trouble}${form}${cancel}`),
    // The page's policy on forms also covers the redirect that answers the form, so it has to allow the merchant's
    // origin.
    formActions: session.redirectUri === null ? [] : [new URL(session.redirectUri).origin],
  };
}

/** Names the merchant's customer to whom the account will be linked, so that a person sees if it is someone else. */
function customerText(
  { externalId, email, firstName, lastName }: ConnectSession['user'],
  merchantName: string,
): string {
  const name = [firstName, lastName].filter(Boolean).join(' ');
  const known = [name, email, externalId && `customer number ${externalId}`].filter(Boolean).join(', ');
  const customer = known
    ? `Your program is linked to this customer of ${escaped(merchantName)}: <strong>${escaped(known)}</strong>. If this is not you, close this page.`
    : `${escaped(merchantName)} has not named the customer account. Continue only if you have just come from there.`;
  return `<p class="customer">${customer}</p>`;
}

/** The page after a correct proof. It leads the person back to the merchant, which then links the account. */
export function offeredPage(redirectUri: string | null): Page {
  if (redirectUri === null) return noReturnPage();
  const html = messagePage('Continue', 'Return to the shop to finish.');
  return { status: 303, html, formActions: [], location: redirectUri };
}

/** The page of a session without an address to return to. It asks for no PIN, because it could link no account. */
export function noReturnPage(): Page {
  const message = 'The shop has given no address to return to, so nothing can be linked on this page.';
  return { status: 200, html: messagePage('This does not work here', message), formActions: [] };
}

/** A page with one message, and optionally a link back to the form at the same address. */
export function messagePage(title: string, message: string, back?: string): string {
  const link = back === undefined ? '' : `<p><a href="">${escaped(back)}</a></p>`;
  return page(title, `<p>${escaped(message)}</p>${link}`);
}

function page(title: string, content: string): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>${escaped(title)}</title><style>${style}</style></head><body><h1>${escaped(title)}</h1>${content}</body></html>`;
}

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
