import ipaddr from 'ipaddr.js';
import { InvalidEventPatternError, matchString, type Operator, requireString, type ValueMatcher } from './matcher.ts';

/** `{ "cidr": "10.0.0.0/24" }`: every IP address in the same block as the given address. */
export const cidr: Operator = {
  name: 'cidr',
  compile(argument) {
    const block = requireString(argument, 'cidr match pattern must be a string');
    const [address = '', bits = '', ...others] = block.split('/');
    if (bits === '' || others.length > 0) throw new InvalidEventPatternError("Malformed CIDR, one '/' required");

    const base = parseAddress(address);
    if (!base) throw new InvalidEventPatternError(`Nonstandard IP address: ${address}`);
    const isInBlock = testBlock(base, readMaskBits(bits, base.length * 8));
    return matchParsedAddress((candidate) => candidate.length === base.length && isInBlock(candidate));
  },
};

/** Matches an IP address in any of its spellings. Returns undefined when the text is not an address. */
export function matchAddress(text: string): ValueMatcher | undefined {
  const expected = parseAddress(text);
  return expected && matchParsedAddress((candidate) => candidate.join() === expected.join());
}

/** Returns the address's bytes. EventBridge takes dotted numbers as an address only if they are four plain decimals. */
function parseAddress(text: string): number[] | undefined {
  const isAddress = text.includes(':')
    ? /^[0-9a-f:]+$/i.test(text) && ipaddr.IPv6.isValid(text)
    : ipaddr.IPv4.isValidFourPartDecimal(text);
  return isAddress ? ipaddr.process(text).toByteArray() : undefined;
}

function readMaskBits(text: string, addressBits: number): number {
  if (!/^[+-]?\d+$/.test(text)) throw new InvalidEventPatternError('Malformed CIDR, mask bits must be an integer');
  const bits = Number(text);
  if (bits < 0) throw new InvalidEventPatternError('Malformed CIDR, mask bits must not be negative');
  if (bits >= addressBits) throw new InvalidEventPatternError(`Mask bits must be < ${addressBits}`);
  return bits;
}

function testBlock(base: readonly number[], maskBits: number): (candidate: readonly number[]) => boolean {
  const masks = base.map((_, index) => 0xff & (0xff00 >> Math.min(8, Math.max(0, maskBits - index * 8))));
  return (candidate) => masks.every((mask, index) => (((candidate[index] ?? 0) ^ (base[index] ?? 0)) & mask) === 0);
}

function matchParsedAddress(test: (candidate: readonly number[]) => boolean): ValueMatcher {
  return matchString((text) => {
    const address = parseAddress(text);
    return address !== undefined && test(address);
  });
}
