import * as z from 'zod/mini';
import type { ConnectSession } from '../domain/connect/connect-session.ts';
import type { Partnership } from '../domain/partnership.ts';

/** An HTML page, or a redirect to another one. */
export const Page = z.object({
  status: z.int(),
  html: z.string(),
  location: z.optional(z.string()),
  /** The origins that the page's form may lead to, by redirect too. */
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
  /** The URL that the form is sent to. */
  readonly action: string;
  /** The reason why the last try linked nothing. */
  readonly problem?: string;
}

/** The form in which a person names an account and proves to hold it. */
export function connectForm({ session, merchantName, partnerships, action, problem }: ConnectForm): Page {
  const options = partnerships
    .map(({ partnerId, name }) => `<option value="${partnerId}">${escaped(name)}</option>`)
    .join('');
  const form =
    partnerships.length === 0
      ? '<p>There is nothing to link here.</p>'
      : `<form method="post" action="${escaped(action)}">
<label>Program<select name="partner_id">${options}</select></label>
<label>Membership number<input name="member_id" required maxlength="255" autocomplete="off"></label>
<label>PIN<input name="proof" type="password" required maxlength="255" autocomplete="off"></label>
<button type="submit">Link</button>
</form>`;
  const trouble = problem === undefined ? '' : `<p class="problem" role="alert">${escaped(problem)}</p>`;
  return {
    status: problem === undefined ? 200 : 400,
    html: page(`Link your account with ${merchantName}`, `${trouble}${form}`),
    // Browsers apply a form's policy to the redirect that follows it.
    formActions: session.redirectUri === null ? [] : [new URL(session.redirectUri).origin],
  };
}

/** The reply after a link: the way back to the merchant, if it has registered one. */
export function linkedPage(redirectUri: string | null): Page {
  const html = messagePage('Linked', 'Your account is linked. You can close this page.');
  return redirectUri === null
    ? { status: 200, html, formActions: [] }
    : { status: 303, html, formActions: [], location: redirectUri };
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
