/** A reply, with the cookies that it set. */
export interface BrowserReply {
  readonly url: string;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** A browser without pages: it keeps cookies by host, and follows redirects where a test asks for it. */
export class CookieBrowser {
  readonly #cookies = new Map<string, Map<string, string>>();

  /** The cookies that a host has set, by name. */
  cookies(url: string): Map<string, string> {
    const { hostname } = new URL(url);
    const found = this.#cookies.get(hostname) ?? new Map<string, string>();
    this.#cookies.set(hostname, found);
    return found;
  }

  /** Sends one request, and does not follow a redirect. */
  async send(url: string, init: RequestInit = {}): Promise<BrowserReply> {
    const cookies = this.cookies(url);
    const headers = new Headers(init.headers);
    if (cookies.size > 0) headers.set('cookie', [...cookies].map(([name, value]) => `${name}=${value}`).join('; '));
    const response = await fetch(url, { ...init, headers, redirect: 'manual' });
    for (const line of response.headers.getSetCookie()) keep(cookies, line);
    return { url, status: response.status, headers: response.headers, text: await response.text() };
  }

  /** Opens an address and follows redirects until a reply is none, or leads to an address that begins with `until`. */
  async open(url: string, until?: string, init: RequestInit = {}): Promise<BrowserReply> {
    const reply = await this.send(url, init);
    const location = reply.headers.get('location');
    if (reply.status < 300 || reply.status >= 400 || location === null) return reply;
    const next = new URL(location, url).href;
    if (until !== undefined && next.startsWith(until)) return { ...reply, url: next };
    return this.open(next, until);
  }

  /** Sends the fields of a form to the action that a page names. */
  submit(page: BrowserReply, action: string, fields: Readonly<Record<string, string>>, until?: string) {
    const url = new URL(action, page.url).href;
    return this.open(url, until, { method: 'POST', body: new URLSearchParams(fields) });
  }
}

function keep(cookies: Map<string, string>, line: string): void {
  const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
  const isOver = value === '' || /max-age=0|expires=thu, 01 jan 1970/i.test(line);
  if (isOver) cookies.delete(name);
  else cookies.set(name, value);
}
