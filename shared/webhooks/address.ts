import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * Networks to which deliveries are not allowed, with the reason: the IANA special-purpose registries
 * (RFC 6890 and its updates) and the addresses that clouds reserve in public space.
 */
const forbiddenNetworks = {
  ipv4: [
    ['0.0.0.0/8', 'this network'],
    ['10.0.0.0/8', 'private'],
    ['100.64.0.0/10', 'carrier-grade NAT'],
    ['127.0.0.0/8', 'loopback'],
    // Contains the metadata, credential and tracing addresses of every cloud, and those of Lambda.
    ['169.254.0.0/16', 'link-local'],
    ['168.63.129.16/32', 'cloud metadata'],
    ['172.16.0.0/12', 'private'],
    ['192.0.0.0/24', 'protocol assignments'],
    ['192.0.2.0/24', 'documentation'],
    ['192.31.196.0/24', 'AS112'],
    ['192.52.193.0/24', 'automatic multicast tunneling'],
    ['192.88.99.0/24', '6to4 relay'],
    ['192.168.0.0/16', 'private'],
    ['192.175.48.0/24', 'AS112'],
    ['198.18.0.0/15', 'benchmarking'],
    ['198.51.100.0/24', 'documentation'],
    ['203.0.113.0/24', 'documentation'],
    ['224.0.0.0/4', 'multicast'],
    ['255.255.255.255/32', 'broadcast'],
    ['240.0.0.0/4', 'reserved'],
  ],
  ipv6: [
    ['::/128', 'unspecified'],
    ['::1/128', 'loopback'],
    ['::ffff:0:0/96', 'IPv4-mapped'],
    ['::ffff:0:0:0/96', 'IPv4-translated'],
    ['::/96', 'IPv4-compatible'],
    ['64:ff9b::/96', 'NAT64'],
    ['64:ff9b:1::/48', 'NAT64'],
    ['100::/64', 'discard'],
    ['2001::/32', 'Teredo'],
    ['2001::/23', 'protocol assignments'],
    ['2001:db8::/32', 'documentation'],
    ['2002::/16', '6to4'],
    ['2620:4f:8000::/48', 'AS112'],
    ['3fff::/20', 'documentation'],
    ['5f00::/16', 'segment routing'],
    ['fc00::/7', 'unique-local'],
    ['fe80::/10', 'link-local'],
    ['fec0::/10', 'site-local'],
    ['ff00::/8', 'multicast'],
  ],
} as const;

/** The part of IPv6 that the public Internet uses. */
const globalUnicast = '2000::/3';

type Network = readonly [ipaddr.IPv4 | ipaddr.IPv6, number];
type ForbiddenNetwork = { readonly network: Network; readonly reason: string };

let parsedNetworks: Record<'ipv4' | 'ipv6', ForbiddenNetwork[]> | undefined;

function networksOf(kind: 'ipv4' | 'ipv6'): ForbiddenNetwork[] {
  const parse = ([cidr, reason]: readonly [string, string]) => ({ network: ipaddr.parseCIDR(cidr), reason });
  parsedNetworks ??= { ipv4: forbiddenNetworks.ipv4.map(parse), ipv6: forbiddenNetworks.ipv6.map(parse) };
  return parsedNetworks[kind];
}

/** ISATAP (RFC 5214) carries an IPv4 address in the lower half of any IPv6 address. */
function isIsatap(address: ipaddr.IPv6): boolean {
  const [, , , , flags = 0, marker] = address.parts;
  return marker === 0x5efe && (flags & ~0x200) === 0;
}

/**
 * Returns why a connection to an IP address is not allowed, or undefined for an ordinary public address.
 * @param text an address in canonical form, as a resolver or a socket returns it; any other text is refused too
 */
export function forbiddenAddressReason(text: string): string | undefined {
  if (isIP(text) === 0 || text.includes('%')) return 'not an address';

  const address = ipaddr.parse(text);
  const listed = networksOf(address.kind()).find(({ network: [base, bits] }) => address.match(base, bits));
  if (listed) return listed.reason;

  if (address instanceof ipaddr.IPv6) {
    if (!address.match(ipaddr.parseCIDR(globalUnicast))) return 'not global unicast';
    if (isIsatap(address)) return 'ISATAP';
  }

  // The library also checks its own list of special ranges.
  return address.range() === 'unicast' ? undefined : address.range();
}
