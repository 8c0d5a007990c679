import { integerIdOf } from '../../../shared/domain/ids.ts';
import { endpoint } from '../../../shared/http/endpoint.ts';
import { unlinkAccount, unlinkAccountStores } from '../../../shared/operations/connect/unlink-account.ts';
import { contract } from './contract.ts';

export const handler = endpoint(contract, unlinkAccountStores, ({ params, body, caller, replyWith }) => {
  const user = { userId: integerIdOf(params.id) ?? 0, userUuid: params.id };
  const request = { ...user, merchantId: caller.organisationId, partnerId: body.partner_id };
  return replyWith(
    () => ({ unlinked: true as const }),
    (deps) => unlinkAccount(request, deps),
  );
});
