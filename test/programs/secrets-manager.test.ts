import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signedHeaders } from '../../shared/programs/aws-signature.ts';
import { ProgramSecrets } from '../../shared/programs/programs.ts';
import { SecretsManager } from '../../shared/programs/secrets-manager.ts';
import { createSecretsServer } from '../../tools/local/secrets/server.ts';
import { startReceiver } from '../support/receiver.ts';

const settings = {
  region: async () => 'us-east-1',
  credentials: async () => ({ accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret', sessionToken: 'session' }),
};
const now = () => new Date('2026-11-22T12:00:00.000Z');
const folder = mkdtempSync(join(tmpdir(), 'secrets-'));
const file = join(folder, 'data', 'secrets.json');
afterAll(() => rmSync(folder, { recursive: true }));

let server = createSecretsServer(file);
let manager: SecretsManager;
beforeAll(async () => {
  manager = new SecretsManager(settings, await server.listen(), now);
});
afterAll(() => server.close());

describe('a secret', () => {
  it('is created, replaced and read', async () => {
    expect(await manager.read('rewards-local/program/2')).toBeUndefined();
    await manager.write('rewards-local/program/2', 'first');
    expect(await manager.read('rewards-local/program/2')).toBe('first');
    await manager.write('rewards-local/program/2', 'second');
    expect(await manager.read('rewards-local/program/2')).toBe('second');
  });

  it('survives a restart of the local Secrets Manager', async () => {
    await manager.write('kept', 'text');
    await server.close();
    server = createSecretsServer(file);
    manager = new SecretsManager(settings, await server.listen(), now);

    expect(await manager.read('kept')).toBe('text');
  });

  it('is stored with its program’s other secrets, the newest first', async () => {
    const secrets = new ProgramSecrets(manager, 'sandbox');
    expect(await secrets.of(7)).toEqual([]);
    await secrets.write(7, ['whsec_new', 'whsec_old']);

    expect(await secrets.of(7)).toEqual(['whsec_new', 'whsec_old']);
    expect(JSON.parse((await manager.read('rewards-sandbox/program/7')) ?? '')).toEqual({
      secrets: ['whsec_new', 'whsec_old'],
    });
  });
});

describe('a call of Secrets Manager', () => {
  it('is signed with the credentials of the function', async () => {
    const receiver = await startReceiver((response) => response.end('{"SecretString":"text"}'));
    await new SecretsManager(settings, receiver.url, now).read('name');
    const [{ headers, body } = { headers: {}, body: '' }] = receiver.received;
    await receiver.close();

    expect(JSON.parse(body)).toEqual({ SecretId: 'name', VersionStage: 'AWSCURRENT' });
    expect(headers).toMatchObject({
      'x-amz-target': 'secretsmanager.GetSecretValue',
      'x-amz-date': '20261122T120000Z',
      'x-amz-security-token': 'session',
      authorization: expect.stringMatching(
        /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/20261122\/us-east-1\/secretsmanager\/aws4_request, SignedHeaders=content-type;host;x-amz-date;x-amz-security-token;x-amz-target, Signature=[0-9a-f]{64}$/,
      ),
    });
  });

  // The example "post-vanilla" of the test suite that AWS published for Signature Version 4.
  it('has the signature that the AWS test suite contains', () => {
    const headers = signedHeaders(
      { headers: { host: 'example.amazonaws.com' }, body: '', service: 'service', region: 'us-east-1' },
      { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' },
      new Date('2015-08-30T12:36:00.000Z'),
    );

    expect(headers.authorization).toBe(
      'AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=host;x-amz-date, Signature=5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b',
    );
  });

  it('is repeated after status 500, but not after 400', async () => {
    const receiver = await startReceiver((response) =>
      receiver.received.length < 3
        ? response.writeHead(500).end()
        : response.writeHead(400).end('{"__type":"AccessDeniedException","Message":"no"}'),
    );

    await expect(new SecretsManager(settings, receiver.url, now).read('name')).rejects.toThrow(
      'Secrets Manager: AccessDeniedException: no',
    );
    expect(receiver.received).toHaveLength(3);
    await receiver.close();
  });
});
