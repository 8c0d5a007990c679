import { UserNotFoundError } from '../../../shared/domain/errors.ts';
import { endpoint } from '../../../shared/http/endpoint.ts';
import { unlinkAccount, unlinkAccountStores } from '../../../shared/operations/connect/unlink-account.ts';
import { contract } from './contract.ts';

export const handler = endpoint(contract, unlinkAccountStores, ({ params, body, caller, replyWith }) => {
  // A user token gives access to its own user only.
  if (params.id !== String(caller.userId)) throw new UserNotFoundError();
  const { userId, organisationId: merchantId } = caller;
  return replyWith(
    () => ({ unlinked: true as const }),
    (deps) => unlinkAccount({ userId, merchantId, partnerId: body.partner_id }, deps),
  );
});
