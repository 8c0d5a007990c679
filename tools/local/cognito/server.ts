import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Provider } from 'oidc-provider';
import { answerCall } from '../aws-service/service-server.ts';
import { close, listen } from '../ports.ts';
import { answerApi } from './aws-api.ts';
import { messagePage, signInPage } from './page.ts';
import { makeProvider, type ProviderContext, poolPaths, sessionCookie } from './provider.ts';

/** Asks the pool's function about a sign-up. Resolves with the reason of a refusal; undefined admits the person. */
export type AdmitSignUp = (user: { readonly email: string; readonly name: string }) => Promise<string | undefined>;

export interface CognitoOptions extends Pick<ProviderContext, 'pool' | 'users' | 'localize'> {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly admit: AdmitSignUp;
  /** Finds the addresses that the sign-up admits now. */
  readonly findInvited: () => Promise<readonly string[]>;
  readonly port?: number | undefined;
}

/** A running user pool. */
export interface Cognito {
  /** Its pages and its AWS API. */
  readonly url: string;
  close(): Promise<void>;
}

type Exchange = readonly [IncomingMessage, ServerResponse];

/**
 * Serves a user pool on this machine: OpenID Connect as its domain and issuer do on AWS, and the AWS calls about users.
 * For a browser, `localhost` is another site than the dashboard at 127.0.0.1. So cookies behave as on AWS.
 */
export async function startCognito(options: CognitoOptions): Promise<Cognito> {
  const server = createServer((request, response) => {
    answer(request, response).catch((error: Error) => reply(response, 500, messagePage(error.message)));
  });
  const url = `http://localhost:${await listen(server, options.port)}`;
  const pages = new SignInPages(options, url);
  const api = {
    contentType: 'application/x-amz-json-1.1',
    handle: ({ headers, body }: { readonly headers: IncomingMessage['headers']; readonly body: object }) =>
      answerApi(String(headers['x-amz-target']).split('.')[1] ?? '', { ...body }, options),
  };

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    // A page on the internet can make its own domain name lead to this machine. The requests of the page then have this
    // name in `Host`, and are refused.
    const { hostname } = new URL(`http://${request.headers.host}`);
    if (!['127.0.0.1', 'localhost'].includes(hostname)) return reply(response, 421, messagePage('not this host'));
    if (request.headers['x-amz-target'] !== undefined) return answerCall(request, response, api);
    return pages.answer(request, response);
  };
  return { url, close: () => close(server) };
}

/** The pages of a pool: the sign-in, the sign-up, and those of the protocol. */
class SignInPages {
  readonly #options: CognitoOptions;
  readonly #url: string;
  #provider: Promise<Provider> | undefined;

  constructor(options: CognitoOptions, url: string) {
    this.#options = options;
    this.#url = url;
  }

  async answer(...exchange: Exchange): Promise<void> {
    const [request, response] = exchange;
    const { pathname, searchParams } = new URL(request.url ?? '/', this.#url);
    if (pathname === poolPaths.logout) return this.#logOut(response, searchParams);
    if (pathname.startsWith(poolPaths.signIn)) return this.#signIn(exchange, pathname);
    // The library serves the description of an issuer at one path, and Cognito below the id of the pool.
    request.url = (request.url ?? '/').replace(`/${this.#options.pool.id}/.well-known/openid-`, '/.well-known/openid-');
    const provider = await this.#openProvider();
    await provider.callback()(request, response);
  }

  #openProvider(): Promise<Provider> {
    this.#provider ??= makeProvider({ ...this.#options, url: this.#url });
    return this.#provider;
  }

  async #signIn(exchange: Exchange, pathname: string): Promise<void> {
    const [request, response] = exchange;
    const [, , uid = '', act] = pathname.split('/');
    const path = `${poolPaths.signIn}${uid}`;
    if (request.method !== 'POST') return this.#show(response, path);
    const form = new URLSearchParams(await text(request));
    const chosen = act === 'sign-up' ? await this.#signUp(form) : this.#options.users.find(form.get('subject') ?? '');
    if (typeof chosen === 'string') return this.#show(response, path, chosen);
    if (!chosen) return this.#show(response, path, 'this person is not in the user pool any more');
    return this.#finish(exchange, chosen.subject);
  }

  async #show(response: ServerResponse, path: string, problem?: string): Promise<void> {
    const { users, findInvited } = this.#options;
    const invited = (await findInvited()).filter((email) => !users.find(email));
    reply(response, problem === undefined ? 200 : 400, signInPage({ path, users: users.list(), invited, problem }));
  }

  /** Returns the new user, or the reason why there is none. */
  async #signUp(form: URLSearchParams) {
    const { admit, now, pool, users } = this.#options;
    const person = { name: form.get('name') ?? '', email: form.get('email') ?? '' };
    if (users.find(person.email)) return 'this address has signed up already';
    return (await admit(person)) ?? users.add(pool.id, person, now());
  }

  /** Returns to the application as the chosen person, who has just proved it. */
  async #finish([request, response]: Exchange, subject: string): Promise<void> {
    const provider = await this.#openProvider();
    const interaction = await provider.interactionDetails(request, response);
    if (interaction.session && interaction.session.accountId !== subject) {
      // The library would first ask to end the session of the person before. Cognito replaces it.
      interaction.session = undefined;
      await interaction.save(interaction.exp - Math.floor(Date.now() / 1000));
      forgetSession(response);
    }
    const login = { accountId: subject, ts: Math.floor(this.#options.now() / 1000), remember: false };
    await provider.interactionFinished(request, response, { login }, { mergeWithLastSubmission: false });
  }

  #logOut(response: ServerResponse, parameters: URLSearchParams): void {
    const { pool, localize } = this.#options;
    const client = pool.clients.find(({ id }) => id === parameters.get('client_id'));
    const target = parameters.get('logout_uri') ?? '';
    if (client?.logoutUrls.map(localize).includes(target)) {
      forgetSession(response);
      response.writeHead(302, { Location: target }).end();
    } else reply(response, 400, messagePage('logout_uri is no address of the client'));
  }
}

function forgetSession(response: ServerResponse): void {
  const names = [sessionCookie, `${sessionCookie}.sig`];
  response.setHeader(
    'Set-Cookie',
    names.map((name) => `${name}=; Path=/; Max-Age=0; HttpOnly`),
  );
}

function reply(response: ServerResponse, status: number, html: string): void {
  const headers = {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'",
    'Cache-Control': 'no-store',
  };
  response.writeHead(status, headers).end(html);
}
