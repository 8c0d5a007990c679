import { isIP } from 'node:net';
import { bareHost, checkEndpointUrl, type EndpointPolicy, isTrustedHost } from './endpoint-url.ts';

/** The destination of the requests to one URL, in the form that Node's clients take without parsing it again. */
export interface Destination {
  readonly protocol: 'https:' | 'http:';
  readonly hostname: string;
  /** Empty for the default port of the protocol. */
  readonly port: string;
  readonly path: string;
  /** The name for which the certificate must be valid; empty for an address. It has no final dot (RFC 6066). */
  readonly servername: string;
  /** Whether the stage's configuration names the host, so that its addresses may be private. */
  readonly isTrusted: boolean;
}

/** Returns the destination of an endpoint's URL, or `forbidden` when checkEndpointUrl does not allow the URL. */
export function toDestination(endpointUrl: string, policy: EndpointPolicy): Destination | 'forbidden' {
  const checked = checkEndpointUrl(endpointUrl, policy);
  if (!checked.allowed) return 'forbidden';

  const { url } = checked;
  const host = bareHost(url);
  return {
    protocol: url.protocol === 'http:' ? 'http:' : 'https:',
    hostname: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port,
    path: url.pathname + url.search,
    servername: isIP(host) === 0 ? host : '',
    isTrusted: isTrustedHost(host, policy),
  };
}
