import type { Page } from 'playwright-core';

interface Call {
  readonly method?: 'GET' | 'POST' | 'PUT';
  readonly revision?: number;
  readonly body?: unknown;
}

/**
 * Calls the dashboard's API for the person of a page, without the application.
 *
 * @throws Error with the reply when it is refused
 */
export async function callApi(
  page: Page,
  path: string,
  { method = 'GET', revision, body }: Call = {},
  // biome-ignore lint/suspicious/noExplicitAny: the data of any reply
): Promise<any> {
  const init = {
    method,
    headers: {
      ...(method !== 'GET' && { 'x-rewards-dashboard': '1', 'content-type': 'application/json' }),
      ...(revision !== undefined && { 'if-match': `"${revision}"` }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  };
  const script = `fetch(${JSON.stringify(`/api${path}`)}, ${JSON.stringify(init)}).then((response) => response.json())`;
  const reply = (await page.evaluate(script)) as { readonly data?: unknown };
  if (reply.data === undefined) throw new Error(`${method} ${path}: ${JSON.stringify(reply)}`);
  return reply.data;
}
