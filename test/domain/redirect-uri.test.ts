import { describe, expect, it } from 'vitest';
import { returnUri } from '../../shared/domain/connect/connect-session.ts';
import { redirectUriFault } from '../../shared/domain/connect/redirect-uri.ts';

describe('a redirect URI', () => {
  it.each([
    'https://shop.example/linked',
    'https://shop.example',
    'https://shop.example:8443/a/b?from=rewards&x=%20',
    'http://127.0.0.1:8080/linked',
    'http://[::1]/linked',
    'http://localhost/linked',
  ])('is allowed: %s', (uri) => {
    expect(redirectUriFault(uri)).toBeUndefined();
  });

  it.each([
    ['https_required', 'http://shop.example/linked'],
    ['https_required', 'http://127.0.0.1.shop.example/'],
    ['https_required', 'http://localhost.shop.example/'],
    ['invalid_url', '/linked'],
    ['invalid_url', '//shop.example/linked'],
    ['invalid_url', 'https:shop.example/linked'],
    ['invalid_url', 'https:///linked'],
    ['invalid_url', 'https://'],
    ['invalid_url', 'javascript:alert(1)//https://shop.example'],
    ['invalid_url', 'data:text/html,https://shop.example'],
    ['invalid_url', 'shopapp://linked'],
    // Parsers read these as other hosts than the text shows.
    ['invalid_url', 'https://%73hop.example/'],
    ['invalid_url', 'http://0x7f.1/'],
    ['invalid_url', 'http://2130706433/'],
    ['invalid_url', ''],
    ['userinfo_not_allowed', 'https://shop.example@evil.example/'],
    ['userinfo_not_allowed', 'https://@evil.example/'],
    ['userinfo_not_allowed', 'https://shop.example:x@evil.example/'],
    ['fragment_not_allowed', 'https://shop.example/linked#'],
    ['fragment_not_allowed', 'https://shop.example/#/linked'],
    ['wildcard_not_allowed', 'https://*.shop.example/'],
    ['wildcard_not_allowed', 'https://shop.example/*'],
    ['invalid_character', 'https://shop.example/a b'],
    ['invalid_character', ' https://shop.example/'],
    ['invalid_character', 'https://shop.example/\n'],
    ['invalid_character', 'https://shop.example\\@evil.example/'],
    ['invalid_character', 'https://shöp.example/'],
    ['too_big', `https://shop.example/${'x'.repeat(2048)}`],
  ])('is refused with %s: %j', (code, uri) => {
    expect(redirectUriFault(uri)).toMatchObject({ code, message: expect.any(String) });
  });
});

describe('returnUri()', () => {
  const redirectUri = 'https://shop.example/connected?shop=7';

  it.each([
    [{ code: 'rwx' }, 'a b', `${redirectUri}&code=rwx&state=a+b`],
    [{ error: 'access_denied' as const }, 's', `${redirectUri}&error=access_denied&state=s`],
    [{ error: 'access_denied' as const }, null, `${redirectUri}&error=access_denied`],
  ])('returns the redirect URI with %j when the state is %j', (result, state, expected) => {
    expect(returnUri({ redirectUri, state }, result)).toBe(expected);
  });

  it('returns null when the session has no redirect URI', () => {
    expect(returnUri({ redirectUri: null, state: 's' }, { code: 'rwx' })).toBeNull();
  });
});
