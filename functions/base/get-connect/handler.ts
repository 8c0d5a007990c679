import { connectEndpoint } from '../../../shared/http/connect-endpoint.ts';
import { listLinkable, listLinkableStores } from '../../../shared/operations/connect/link-account.ts';
import { contract } from './contract.ts';

export const handler = connectEndpoint(contract, listLinkableStores, async ({ caller: { session }, deps }) => {
  const { merchantName, partnerships } = await listLinkable(session, deps);
  const { externalId = null, email = null, firstName = null, lastName = null } = session.user;
  return {
    merchant: { id: session.organisationId, name: merchantName },
    customer: { external_id: externalId, email, first_name: firstName, last_name: lastName },
    partners: partnerships.map(({ partnerId, uuid, name, description }) => ({
      partner_id: partnerId,
      partnership_id: uuid,
      name,
      description,
    })),
    expires_at: session.expiresAt,
  };
});
