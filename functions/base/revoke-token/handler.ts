import { endpoint } from '../../../shared/http/endpoint.ts';
import { Credentials } from '../../../shared/store/credential/credentials.ts';
import { Grants } from '../../../shared/store/credential/grants.ts';
import { digestOf, isSecretText } from '../../../shared/store/credential/secret-text.ts';
import { contract } from './contract.ts';

export const handler = endpoint(
  contract,
  { credentials: Credentials, grants: Grants },
  async ({ body, caller, platform }) => {
    if (!isSecretText(body.token, platform.config.stage)) return {};
    const credential = await platform.credentials.find(digestOf(body.token));
    if (credential?.organisationId !== caller.organisationId) return {};

    switch (credential.kind) {
      case 'refreshToken':
      case 'authorizationCode':
        await platform.grants.revoke(credential.grantId);
        break;
      case 'userToken':
      case 'bearer':
        await platform.grants.revokeOne(credential);
        break;
      case 'partnerKey':
        // A key is not a token; operators revoke it.
        break;
    }
    return {};
  },
);
