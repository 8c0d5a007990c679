import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ParameterStore, ParameterStoreError } from '../../../shared/programs/parameter-store.ts';
import { createParametersServer } from '../../../tools/local/parameters/server.ts';
import { createSecretsServer } from '../../../tools/local/secrets/server.ts';
import { LocalUrls } from '../../../tools/local/template/local-urls.ts';

/** The platform's own client reads from the local Parameter Store. */

const settings = {
  region: async () => 'us-east-1',
  credentials: async () => ({ accessKeyId: 'test', secretAccessKey: 'test' }),
};

const values = new Map([['/rewards/local/dashboard/url', 'http://127.0.0.1:4524']]);
const server = createParametersServer(() => values);
let store: ParameterStore;

beforeAll(async () => {
  store = new ParameterStore(settings, await server.listen(), () => new Date('2026-11-28T12:00:00Z'));
});
afterAll(() => server.close());

describe('the Parameter Store', () => {
  it('returns values in the order of their names', async () => {
    values.set('/a', 'one');

    expect(await store.read(['/a', '/rewards/local/dashboard/url'])).toEqual(['one', 'http://127.0.0.1:4524']);
  });

  it('returns a value that was stored after the start', async () => {
    values.set('/late', 'yes');

    expect(await store.read(['/late'])).toEqual(['yes']);
  });

  it('fails with the names of all missing values', async () => {
    const reading = store.read(['/missing', '/a', '/none']);

    await expect(reading).rejects.toThrow(ParameterStoreError);
    await expect(reading).rejects.toThrow(/\/missing, \/none$/);
  });

  it('fails with the reason of a refusal', async () => {
    await expect(store.read([])).rejects.toThrow(/status 400.*one to ten names/);
  });
});

describe('LocalUrls', () => {
  const urls = new LocalUrls();
  urls.add('https://d1.cloudfront.net', 'http://127.0.0.1:4524');

  it.each([
    ['https://d1.cloudfront.net', 'http://127.0.0.1:4524'],
    ['https://d1.cloudfront.net/api/session/callback', 'http://127.0.0.1:4524/api/session/callback'],
    ['https://d1.cloudfront.network', 'https://d1.cloudfront.network'],
    ['https://example.com/https://d1.cloudfront.net', 'https://example.com/https://d1.cloudfront.net'],
    ['sandbox', 'sandbox'],
  ])('leads %s to %s', (text, expected) => {
    expect(urls.localize(text)).toBe(expected);
  });
});

it('a secret of the template keeps its text', () => {
  const secrets = createSecretsServer();
  const first = secrets.ensure('rewards-local/edge', () => 'first');

  expect([first, secrets.ensure('rewards-local/edge', () => 'second')]).toEqual(['first', 'first']);
});
