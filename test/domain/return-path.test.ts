import { describe, expect, it } from 'vitest';
import { returnPathOf } from '../../shared/domain/staff/return-path.ts';

describe('returnPathOf()', () => {
  it.each([
    '/',
    '/campaigns',
    '/campaigns/7/flows?flow=2#limits',
    '/apis',
    '/campaigns?next=https://other.example',
    '/campaigns/a%2Fb',
  ])('returns the path %s of the dashboard', (path) => {
    expect(returnPathOf(path)).toBe(path);
  });

  it.each([
    undefined,
    '',
    'campaigns',
    'https://other.example/',
    'javascript:alert(1)',
    '//other.example',
    '///other.example',
    '/\\other.example',
    '\\\\other.example',
    '/\t/other.example',
    '/\n/other.example',
    '/campaigns\\..\\other',
    '/.//other.example',
    '/campaigns/..//other.example',
    '/%2e//other.example',
    ' //other.example',
    '/campaigns and more',
    '/kampagne/ü',
    '/api',
    '/api/session/login?return_to=/',
    '/campaigns/../api/session',
    `/${'x'.repeat(1_500)}`,
  ])('returns / for %j', (text) => {
    expect(returnPathOf(text)).toBe('/');
  });

  it.each(['/%2F/other.example', '/%5Cother.example', '/%09/other.example'])(
    'keeps %s, which a browser does not decode',
    (path) => {
      const { origin } = new URL(returnPathOf(path), 'https://dashboard.example');

      expect(origin).toBe('https://dashboard.example');
    },
  );
});
