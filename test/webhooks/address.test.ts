import { describe, expect, it } from 'vitest';
import { forbiddenAddressReason } from '../../shared/webhooks/address.ts';
import { forbiddenAddresses, publicAddresses } from './forbidden-addresses.ts';

describe('forbiddenAddressReason()', () => {
  it.each(forbiddenAddresses)('returns a reason for %s', (address) => {
    expect(forbiddenAddressReason(address)).toEqual(expect.any(String));
  });

  it.each(publicAddresses)('returns undefined for the public address %s', (address) => {
    expect(forbiddenAddressReason(address)).toBeUndefined();
  });

  it.each(['', 'localhost', '127.1', '0x7f.0.0.1', '[::1]', 'fe80::1%eth0', '2606:4700::1111%lo', '8.8.8.8:80'])(
    'returns a reason for %j, which is not an address',
    (text) => {
      expect(forbiddenAddressReason(text)).toBe('not an address');
    },
  );

  it('returns the kind of network as the reason', () => {
    expect(forbiddenAddressReason('169.254.169.254')).toBe('link-local');
    expect(forbiddenAddressReason('::ffff:8.8.8.8')).toBe('IPv4-mapped');
    expect(forbiddenAddressReason('2001::1')).toBe('Teredo');
  });
});
