import { managementPath } from '../contracts/contract.ts';
import { once } from '../domain/memoize.ts';
import { type IssuerSettings, OpenIdClient } from '../identity/open-id-client.ts';
import { runtime } from '../runtime/runtime.ts';
import { siteSettings } from './management-endpoint.ts';

/** What the endpoints of the sign-in need to know. */
export interface SignInSettings {
  readonly dashboardUrl: string;
  /** The URL to which the issuer sends a browser back. */
  readonly callbackUrl: string;
  readonly openId: OpenIdClient;
}

/** The settings of the stage, with the client of its issuer. The client stays the same while the issuer does. */
export async function signInSettings(): Promise<SignInSettings> {
  const { dashboardUrl, identity } = await siteSettings();
  return {
    dashboardUrl,
    callbackUrl: `${dashboardUrl}${managementPath}/session/callback`,
    openId: clients().of(identity),
  };
}

/** The client of the issuer that was asked for last. It keeps the issuer's addresses and public keys. */
const clients = once(() => {
  const { config, now } = runtime();
  let last: { readonly key: string; readonly client: OpenIdClient } | undefined;
  return {
    of: (issuer: Pick<IssuerSettings, 'issuer' | 'clientId'>): OpenIdClient => {
      const key = JSON.stringify([issuer.issuer, issuer.clientId]);
      if (last?.key !== key) {
        last = { key, client: new OpenIdClient({ ...issuer, endpoint: config.issuerEndpoint }, now) };
      }
      return last.client;
    },
  };
});
