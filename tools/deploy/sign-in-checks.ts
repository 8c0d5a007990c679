import * as z from 'zod/mini';
import { type StageSettings, siteNameOf } from '../../infra/stages.ts';
import { type AwsSettings, signedHeaders } from '../../shared/programs/aws-signature.ts';
import { messageOf } from '../command.ts';
import type { Template } from './quota-needs.ts';

/** What a deployment tells about the sign-in to the dashboard before it begins: mails, and the domain of passkeys. */

const Account = z.object({ ProductionAccessEnabled: z.boolean() });

/** Whether SES sends to every address. Otherwise it returns why that is not known. */
type MailAccess = boolean | { readonly unknown: string };

/** Reads whether the account has production access at SES, in the region of the settings. */
export async function readMailAccess(settings: AwsSettings, endpoint?: string): Promise<MailAccess> {
  try {
    const region = await settings.region();
    const url = new URL('/v2/email/account', endpoint ?? `https://email.${region}.amazonaws.com`);
    const request = {
      method: 'GET',
      path: url.pathname,
      headers: { host: url.host },
      body: '',
      service: 'ses',
      region,
    };
    const headers = signedHeaders(request, await settings.credentials(), new Date());
    const response = await fetch(url, { headers, signal: AbortSignal.timeout(10_000) });
    const text = await response.text();
    if (!response.ok) return { unknown: `${response.status} ${text.slice(0, 200)}` };
    return Account.parse(JSON.parse(text)).ProductionAccessEnabled;
  } catch (error) {
    return { unknown: messageOf(error) };
  }
}

/** Says what is missing until a stage with a domain may send mails to everybody; undefined when nothing is. */
export function mailAdvice({ domain, region }: StageSettings, access: MailAccess): string | undefined {
  if (domain === undefined || access === true) return undefined;
  const request = [
    `aws sesv2 put-account-details --region ${region} --production-access-enabled --mail-type TRANSACTIONAL`,
    `  --website-url https://${siteNameOf(domain, 'dashboard')} --contact-language EN`,
    `  --use-case-description 'Codes for the sign-in of invited colleagues'`,
  ].join(' \\\n');
  if (access === false) {
    return `SES sends to verified addresses only. Until it has production access, codes come from Cognito's own sender, 50 a day.\nAsk for it with\n\n${request}\n`;
  }
  return `Whether SES may send to everybody is not known (${access.unknown}). If it may not, ask for it with\n\n${request}\n`;
}

interface Pool {
  readonly Type: string;
  readonly Properties?: { readonly WebAuthnRelyingPartyID?: unknown };
}

/**
 * Warns when a deployment changes the domain of passkeys: those that were made at the earlier one are worth nothing.
 *
 * @param deployed the template of the stack `identity` as it is deployed; undefined before the first deployment
 */
export function passkeyWarning(deployed: Template | undefined, planned: Template): string | undefined {
  const [before, after] = [findPool(deployed), findPool(planned)];
  if (!before || !after) return undefined;
  const [from, to] = [before, after].map(({ Properties: { WebAuthnRelyingPartyID: name = null } = {} }) => name);
  if (from === to) return undefined;
  const nameOf = (name: unknown) => name ?? 'the domain that Cognito gives';
  return (
    `The domain of the sign-in changes from ${nameOf(from)} to ${nameOf(to)}. Passkeys of the earlier domain do not work any more:\n` +
    'everybody signs in with password and code once, and makes a new passkey.\n'
  );
}

const findPool = ({ Resources = {} }: Template = {}): Pool | undefined =>
  Object.values(Resources).find(({ Type }) => Type === 'AWS::Cognito::UserPool');
