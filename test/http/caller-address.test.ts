import { describe, expect, it } from 'vitest';
import { originOf } from '../../shared/http/caller-address.ts';

const secret = 'the-secret-of-the-delivery-network';
const edge = '203.0.113.7';
const viewer = { 'x-rewards-viewer-address': '198.51.100.4' };

describe('originOf()', () => {
  it('returns the viewer of a request with the secret', () => {
    const headers = { ...viewer, 'x-rewards-edge-secret': secret };

    expect(originOf(headers, edge, [secret])).toEqual({ isFromEdge: true, address: '198.51.100.4' });
  });

  it.each([
    ['no secret', {}],
    ['an empty secret', { 'x-rewards-edge-secret': '' }],
    ['a forged secret', { 'x-rewards-edge-secret': `${secret.slice(0, -1)}x` }],
    ['a secret that only begins right', { 'x-rewards-edge-secret': `${secret}x` }],
    ['two secrets, one of them right', { 'x-rewards-edge-secret': `forged, ${secret}` }],
  ])('returns the connection of a request with %s, whatever the viewer claims', (_, headers) => {
    expect(originOf({ ...viewer, ...headers }, edge, [secret])).toEqual({ isFromEdge: false, address: edge });
  });

  it.each([
    ['the host has no delivery network', secret, []],
    ['the secret is empty', '', ['']],
  ])('trusts no header when %s', (_, given, secrets) => {
    const headers = { ...viewer, 'x-rewards-edge-secret': given };

    expect(originOf(headers, edge, secrets)).toEqual({ isFromEdge: false, address: edge });
  });

  it('takes the secret before and the new one while it is rotated', () => {
    const accepted = (given: string) =>
      originOf({ ...viewer, 'x-rewards-edge-secret': given }, edge, ['the-new-one', secret]).isFromEdge;

    expect([secret, 'the-new-one', 'another'].map(accepted)).toEqual([true, true, false]);
  });

  it('tells apart two viewers behind one edge', () => {
    const behind = (address: string) => ({ 'x-rewards-viewer-address': address, 'x-rewards-edge-secret': secret });
    const addresses = ['198.51.100.4', '2001:db8::1'].map((one) => originOf(behind(one), edge, [secret]).address);

    expect(addresses).toEqual(['198.51.100.4', '2001:db8::1']);
  });
});
