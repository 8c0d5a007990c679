import { describe, expect, it } from 'vitest';
import { checkEndpointUrl } from '../../shared/webhooks/destination.ts';
import { forbiddenAddresses, publicAddresses } from './forbidden-addresses.ts';
import { forbiddenHosts, forbiddenUrls } from './forbidden-hosts.ts';

const strict = { httpHosts: [] };
const development = { httpHosts: ['127.0.0.1', 'localhost', '::1'] };
const urlHost = (address: string) => (address.includes(':') ? `[${address}]` : address);

describe('checkEndpointUrl()', () => {
  it.each([
    ['https://hooks.example.com', 'https://hooks.example.com/'],
    ['https://hooks.example.com:443/a?b=c', 'https://hooks.example.com/a?b=c'],
    ['https://hooks.example.com:8443/', 'https://hooks.example.com:8443/'],
    ['HTTPS://Hooks.Example.COM/Path', 'https://hooks.example.com/Path'],
    ['https://bücher.example/', 'https://xn--bcher-kva.example/'],
    ['https://localhost.example.com/', 'https://localhost.example.com/'],
  ])('allows the URL %s and returns %s', (text, href) => {
    const checked = checkEndpointUrl(text, strict);
    expect(checked.allowed && checked.url.href).toBe(href);
  });

  it.each([
    ['', 'invalid_url'],
    ['hooks.example.com', 'invalid_url'],
    ['/hooks', 'invalid_url'],
    ['https://', 'invalid_url'],
    ['https://exa mple.com/', 'invalid_url'],
    ['https://[fe80::1%25eth0]/', 'invalid_url'],
    ['ftp://hooks.example.com/', 'invalid_url'],
    ['file:///etc/passwd', 'invalid_url'],
    ['javascript:alert(1)', 'invalid_url'],
    ['http://hooks.example.com/', 'https_required'],
    ['http://127.0.0.1:8080/', 'https_required'],
    ['https://hooks.example.com:80/', 'port_not_allowed'],
    ['https://hooks.example.com:22/', 'port_not_allowed'],
    ['https://hooks.example.com:9001/', 'port_not_allowed'],
    ['https://user@hooks.example.com/', 'userinfo_not_allowed'],
    ['https://user:secret@hooks.example.com/', 'userinfo_not_allowed'],
    ['https://hooks.example.com@127.0.0.1/', 'userinfo_not_allowed'],
    ['https://hooks.example.com/#part', 'fragment_not_allowed'],
    ['https://hooks.example.com/#', 'fragment_not_allowed'],
  ])('refuses the URL "%s" with %s', (text, code) => {
    expect(checkEndpointUrl(text, strict)).toMatchObject({ allowed: false, code });
  });

  it.each([...forbiddenHosts, ...forbiddenAddresses.map(urlHost)])('refuses the host %s', (host) => {
    expect(checkEndpointUrl(`https://${host}/hooks`, strict)).toMatchObject({ allowed: false });
    expect(checkEndpointUrl(`https://${host}:8443/hooks`, strict)).toMatchObject({ allowed: false });
  });

  it.each(forbiddenUrls)('refuses the URL %j', (text) => {
    expect(checkEndpointUrl(text, strict)).toMatchObject({ allowed: false });
  });

  it.each(publicAddresses.map(urlHost))('allows the public address %s', (host) => {
    expect(checkEndpointUrl(`https://${host}/hooks`, strict).allowed).toBe(true);
  });

  it.each(['http://127.0.0.1:49152/', 'http://localhost:3000/', 'https://localhost:3000/', 'http://[::1]:8080/'])(
    'allows %s when the configuration names its host',
    (text) => {
      expect(checkEndpointUrl(text, development).allowed).toBe(true);
    },
  );

  it.each(['http://127.0.0.2:80/', 'http://hooks.example.com/', 'https://10.0.0.1/', 'http://localhost.example.com/'])(
    'refuses %s when the configuration names other hosts',
    (text) => {
      expect(checkEndpointUrl(text, development).allowed).toBe(false);
    },
  );
});
