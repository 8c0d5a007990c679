import { createSign, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { close, listen, toUrl } from '../../tools/local/ports.ts';

/** An issuer whose ID tokens a test can spoil. */
export interface OpenIdIssuer {
  readonly issuer: string;
  /** What the ID token of the next exchange claims beside, or instead of, what a correct one claims. */
  claims: Readonly<Record<string, unknown>>;
  /** The header of the next ID token. */
  header: Readonly<Record<string, unknown>>;
  /** Signs the next ID tokens; null leaves the signature out. */
  key: KeyObject | null;
  /** The form of each exchange. */
  readonly exchanges: URLSearchParams[];
  /** How often each path was requested. */
  readonly requests: Map<string, number>;
  close(): Promise<void>;
}

export const subject = 'c1f6a5b0-0000-4000-8000-000000000001';
export const clientId = 'dashboard-client';

const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Makes a key that signs ID tokens. */
export const makeSigningKey = (): KeyObject => generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;

function sign({ header, key }: OpenIdIssuer, claims: object): string {
  const content = `${encoded(header)}.${encoded(claims)}`;
  return `${content}.${key ? createSign('RSA-SHA256').update(content).sign(key).toString('base64url') : ''}`;
}

/** Starts an issuer on this machine. It accepts every code. Its clock is `now`. */
export async function startOpenIdIssuer(now: () => Date): Promise<OpenIdIssuer> {
  const published = makeSigningKey();
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? '', issuer.issuer);
    issuer.requests.set(pathname, (issuer.requests.get(pathname) ?? 0) + 1);
    const body = answers[pathname]?.(await text(request));
    response.writeHead(body ? 200 : 404, { 'content-type': 'application/json' }).end(JSON.stringify(body ?? {}));
  });
  const url = toUrl(await listen(server));
  const issuer: OpenIdIssuer = {
    ...{ issuer: url, claims: {}, header: { alg: 'RS256', kid: 'one' }, key: published },
    ...{ exchanges: [], requests: new Map(), close: () => close(server) },
  };
  const seconds = () => Math.floor(now().getTime() / 1000);
  const answers: Readonly<Record<string, (body: string) => object>> = {
    '/.well-known/openid-configuration': () => ({
      issuer: url,
      authorization_endpoint: `${url}/oauth2/authorize`,
      token_endpoint: `${url}/oauth2/token`,
      end_session_endpoint: `${url}/logout`,
      jwks_uri: `${url}/keys`,
      id_token_signing_alg_values_supported: ['RS256'],
    }),
    '/keys': () => ({ keys: [{ ...published.export({ format: 'jwk' }), d: undefined, kid: 'one', use: 'sig' }] }),
    '/oauth2/token': (body) => {
      issuer.exchanges.push(new URLSearchParams(body));
      const correct = { iss: url, aud: clientId, sub: subject, iat: seconds(), exp: seconds() + 3600 };
      const person = { email: 'mia@cornercoffee.example', email_verified: true, auth_time: seconds() };
      const idToken = sign(issuer, { ...correct, ...person, ...issuer.claims });
      return { access_token: 'access', token_type: 'Bearer', expires_in: 3600, id_token: idToken };
    },
  };
  return issuer;
}
