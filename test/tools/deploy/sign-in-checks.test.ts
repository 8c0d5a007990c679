import { createServer, type IncomingMessage } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { stageSettings } from '../../../infra/stages.ts';
import { mailAdvice, passkeyWarning, readMailAccess } from '../../../tools/deploy/sign-in-checks.ts';
import { close, listen } from '../../../tools/local/ports.ts';

const sandbox = stageSettings('sandbox');
const withDomain = { ...sandbox, domain: { name: 'sandbox.example.com', hostedZoneId: 'Z1' } };
const settings = {
  region: async () => 'eu-west-1',
  credentials: async () => ({ accessKeyId: 'operator', secretAccessKey: 'local' }),
};

/** Answers every request like SES, and returns the address and the requests. */
async function startSes(status: number, body: object) {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    response.writeHead(status).end(JSON.stringify(body));
  });
  const port = await listen(server);
  onTestFinished(() => close(server));
  return { url: `http://127.0.0.1:${port}`, requests };
}

describe('readMailAccess()', () => {
  it('asks SES in the region of the stage whether the account has production access', async () => {
    const { url, requests } = await startSes(200, { ProductionAccessEnabled: true, SendingEnabled: true });

    expect(await readMailAccess(settings, url)).toBe(true);
    const [request] = requests;
    expect([request?.method, request?.url]).toEqual(['GET', '/v2/email/account']);
    expect(request?.headers.authorization).toMatch(/Credential=operator\/\d{8}\/eu-west-1\/ses\/aws4_request/);
  });

  it('returns the reason when SES refuses', async () => {
    const { url } = await startSes(403, { message: 'not authorized' });

    expect(await readMailAccess(settings, url)).toEqual({ unknown: '403 {"message":"not authorized"}' });
  });
});

describe('mailAdvice()', () => {
  it('prints the request for production access for a stage with a domain', () => {
    expect(mailAdvice(withDomain, false)).toContain(
      'aws sesv2 put-account-details --region us-east-1 --production-access-enabled',
    );
    expect(mailAdvice(withDomain, false)).toContain('--website-url https://dashboard.sandbox.example.com');
    expect(mailAdvice(withDomain, { unknown: '403' })).toContain('is not known (403)');
  });

  it('says nothing with production access, or without a domain', () => {
    expect(mailAdvice(withDomain, true)).toBeUndefined();
    expect(mailAdvice(sandbox, false)).toBeUndefined();
  });
});

describe('passkeyWarning()', () => {
  const pool = (name?: string) => ({
    Resources: {
      Pool: { Type: 'AWS::Cognito::UserPool', Properties: { ...(name && { WebAuthnRelyingPartyID: name }) } },
    },
  });

  it('warns when the domain of passkeys changes', () => {
    expect(passkeyWarning(pool(), pool('sign-in.example.com'))).toContain(
      'from the domain that Cognito gives to sign-in.example.com',
    );
    expect(passkeyWarning(pool('sign-in.example.com'), pool('sign-in.example.org'))).toContain('sign-in.example.org');
  });

  it('says nothing when it stays, and before the first deployment', () => {
    expect(passkeyWarning(pool('sign-in.example.com'), pool('sign-in.example.com'))).toBeUndefined();
    expect(passkeyWarning(undefined, pool('sign-in.example.com'))).toBeUndefined();
  });
});
