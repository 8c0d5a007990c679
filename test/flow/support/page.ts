import { expect } from 'vitest';
import type { Flow } from './flow.ts';
import { send } from './http.ts';

/** A page in a browser without script. The browser follows no redirect by itself. */
export interface BrowserPage {
  readonly status: number;
  readonly headers: Headers;
  readonly html: string;
  readonly location: string | null;
}

/** A form of a page. */
export interface Form {
  readonly method: string;
  readonly action: string;
  /** The names of its fields. */
  readonly fields: readonly string[];
  /** The options of its select field: from each label to its value. */
  readonly options: Readonly<Record<string, string>>;
}

/** The input for the connect page's form. */
export interface Typed {
  readonly program?: string;
  readonly memberId: string;
  readonly pin: string;
}

/** Requests a connect token for the flow's merchant (endpoint 12). */
export async function beginConnect(flow: Flow, body: object = {}, key = flow.demo.merchant.apiKey) {
  const answer = await send('POST', `${flow.hosts.base}/auth/connect`, { key, json: body });
  expect(answer).toMatchObject({ status: 200, body: { code: 'ok' } });
  const { connect_token: token, connect_url: url } = answer.body.data;
  return { token: String(token), url: String(url) };
}

/** Opens an address. */
export async function openPage(url: string): Promise<BrowserPage> {
  return pageOf(await fetch(url, { redirect: 'manual' }));
}

/** Fills in the connect page's form and submits it. */
export async function submit({ html }: BrowserPage, { program, memberId, pin }: Typed): Promise<BrowserPage> {
  const { method, action, options } = formOf(html);
  const [first] = Object.values(options);
  const partner = program === undefined ? first : options[program];
  const body = new URLSearchParams({ partner_id: partner ?? '', member_id: memberId, proof: pin });
  return pageOf(await fetch(action, { method, body, redirect: 'manual' }));
}

async function pageOf(response: Response): Promise<BrowserPage> {
  const { status, headers } = response;
  return { status, headers, html: await response.text(), location: headers.get('location') };
}

/** Returns the only form of a page. */
export function formOf(html: string): Form {
  const [tag, ...others] = html.match(/<form\b[^>]*>/g) ?? [];
  if (tag === undefined || others.length > 0) throw new Error(`there is not one form in: ${html}`);
  const options = [...html.matchAll(/<option value="([^"]*)">([^<]*)</g)];
  return {
    method: attribute(tag, 'method'),
    action: unescaped(attribute(tag, 'action')),
    fields: [...html.matchAll(/<(?:input|select)\b[^>]*\bname="([^"]*)"/g)].map(([, name = '']) => name),
    options: Object.fromEntries(options.map(([, value = '', text = '']) => [unescaped(text), value])),
  };
}

function attribute(tag: string, name: string): string {
  return new RegExp(`\\b${name}="([^"]*)"`).exec(tag)?.[1] ?? '';
}

/** Decodes HTML entities. */
export function unescaped(html: string): string {
  return html.replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)));
}
