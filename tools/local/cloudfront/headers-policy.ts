/** A response headers policy of the template. */
export interface HeadersPolicy {
  readonly SecurityHeadersConfig?: {
    readonly ContentSecurityPolicy?: Override & { readonly ContentSecurityPolicy: string };
    readonly ContentTypeOptions?: Override;
    readonly FrameOptions?: Override & { readonly FrameOption: string };
    readonly ReferrerPolicy?: Override & { readonly ReferrerPolicy: string };
    readonly StrictTransportSecurity?: Override & {
      readonly AccessControlMaxAgeSec: number | string;
      readonly IncludeSubdomains?: boolean;
      readonly Preload?: boolean;
    };
  };
  readonly CustomHeadersConfig?: {
    readonly Items: readonly (Override & { readonly Header: string; readonly Value: string })[];
  };
  readonly RemoveHeadersConfig?: { readonly Items: readonly { readonly Header: string }[] };
}

interface Override {
  /** Whether the policy's header replaces a header of the origin. */
  readonly Override: boolean;
}

interface PolicyHeader {
  readonly name: string;
  readonly value: string;
  readonly replaces: boolean;
}

/** Parts of a policy that would silently be missing here. */
const supportedParts = ['Name', 'Comment', 'SecurityHeadersConfig', 'CustomHeadersConfig', 'RemoveHeadersConfig'];

/** @throws Error when a policy has a part that is not applied here */
export function requireSupported(policy: HeadersPolicy, name: string): void {
  const unknown = Object.keys(policy).filter((part) => !supportedParts.includes(part));
  if (unknown.length > 0) throw new Error(`${name}: the local platform does not apply ${unknown.join(', ')}`);
}

/** Returns the headers of an origin's reply with the headers of the policy. Names are in lower case. */
export function applyHeadersPolicy<Value>(
  headers: Readonly<Record<string, Value>>,
  policy: HeadersPolicy | undefined,
): Record<string, Value | string> {
  if (!policy) return { ...headers };
  const removed = (policy.RemoveHeadersConfig?.Items ?? []).map(({ Header }) => Header.toLowerCase());
  const kept = Object.entries(headers).filter(([name]) => !removed.includes(name));
  const result: Record<string, Value | string> = Object.fromEntries(kept);
  for (const { name, value, replaces } of listHeaders(policy)) {
    if (replaces || result[name] === undefined) result[name] = value;
  }
  return result;
}

function listHeaders({ SecurityHeadersConfig: security = {}, CustomHeadersConfig: custom }: HeadersPolicy) {
  const { ContentSecurityPolicy: csp, ContentTypeOptions: types, FrameOptions: frames } = security;
  const { ReferrerPolicy: referrer, StrictTransportSecurity: hsts } = security;
  const found: (PolicyHeader | undefined)[] = [
    csp && header('content-security-policy', csp.ContentSecurityPolicy, csp),
    types && header('x-content-type-options', 'nosniff', types),
    frames && header('x-frame-options', frames.FrameOption, frames),
    referrer && header('referrer-policy', referrer.ReferrerPolicy, referrer),
    hsts && header('strict-transport-security', hstsOf(hsts), hsts),
    ...(custom?.Items ?? []).map((item) => header(item.Header.toLowerCase(), item.Value, item)),
  ];
  return found.filter((one) => one !== undefined);
}

const header = (name: string, value: string, { Override: replaces }: Override): PolicyHeader => ({
  name,
  value,
  replaces,
});

type Hsts = NonNullable<NonNullable<HeadersPolicy['SecurityHeadersConfig']>['StrictTransportSecurity']>;

const hstsOf = ({ AccessControlMaxAgeSec, IncludeSubdomains, Preload }: Hsts): string =>
  [
    `max-age=${AccessControlMaxAgeSec}`,
    ...(IncludeSubdomains ? ['includeSubDomains'] : []),
    ...(Preload ? ['preload'] : []),
  ].join('; ');
