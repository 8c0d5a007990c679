import { connectEndpoint } from '../../../shared/http/connect-endpoint.ts';
import { connectForm, noReturnPage } from '../../../shared/http/connect-page.ts';
import { listLinkable, listLinkableStores } from '../../../shared/operations/connect/link-account.ts';
import { contract } from './contract.ts';

export const handler = connectEndpoint(
  contract,
  listLinkableStores,
  async ({ params, caller: { session }, deps, baseUrl }) => {
    if (session.redirectUri === null) return noReturnPage();
    const action = `${baseUrl}/connect/${params.connect_token}/page`;
    return connectForm({ session, action, ...(await listLinkable(session, deps)) });
  },
);
