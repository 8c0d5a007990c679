import type { Partnership } from '../domain/partnership.ts';

/** The plain page of the connect flow: a form and no script. */

const style =
  'body{font:16px/1.5 system-ui,sans-serif;max-width:26rem;margin:3rem auto;padding:0 1rem}label{display:block;margin:.75rem 0}input,select,button{font:inherit;width:100%;padding:.5rem;box-sizing:border-box}.problem{color:#a00}';

/** What the form shows. */
export interface ConnectPageView {
  readonly merchantName: string;
  readonly partnerships: readonly Partnership[];
  /** The form's target. */
  readonly action: string;
  /** What went wrong with the last try. */
  readonly problem?: string;
}

/** The form in which a person names an account and proves to hold it. */
export function connectPage({ merchantName, partnerships, action, problem }: ConnectPageView): string {
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
  return page(`Link your account with ${merchantName}`, `${trouble}${form}`);
}

/** A page that says one thing; with a way back, to the form that was sent from the same address. */
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
