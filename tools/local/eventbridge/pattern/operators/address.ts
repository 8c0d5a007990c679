import ipaddr from 'ipaddr.js';
import { InvalidEventPatternError } from '../invalid-event-pattern-error.ts';
import { type Operator, requireString, stringMatcher, type ValueMatcher } from './operator.ts';

/** `{ "cidr": "10.0.0.0/24" }`: any address of the block the given one belongs to. */
export const cidr: Operator = {
  name: 'cidr',
  compile(argument) {
    const [address = '', bits = '', ...others] = requireString(argument, 'cidr match pattern must be a string').split(
      '/',
    );
    if (bits === '' || others.length > 0) throw new InvalidEventPatternError("Malformed CIDR, one '/' required");

    const base = parseAddress(address);
    if (!base) throw new InvalidEventPatternError(`Nonstandard IP address: ${address}`);
    const isSameBlock = blockOf(base, readMaskBits(bits, base.length * 8));
    return addressMatcher((candidate) => candidate.length === base.length && isSameBlock(candidate));
  },
};

/** A matcher for an address however it is spelled, or undefined when the text is not an address. */
export function sameAddress(text: string): ValueMatcher | undefined {
  const expected = parseAddress(text);
  return expected && addressMatcher((candidate) => candidate.join() === expected.join());
}

/** The address's bytes. A dotted number with other than four plain decimals is a name, not an address. */
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

function blockOf(base: readonly number[], maskBits: number): (candidate: readonly number[]) => boolean {
  const masks = base.map((_, index) => 0xff & (0xff00 >> Math.min(8, Math.max(0, maskBits - index * 8))));
  return (candidate) => masks.every((mask, index) => (((candidate[index] ?? 0) ^ (base[index] ?? 0)) & mask) === 0);
}

function addressMatcher(test: (candidate: readonly number[]) => boolean): ValueMatcher {
  return stringMatcher((text) => {
    const address = parseAddress(text);
    return address !== undefined && test(address);
  });
}
