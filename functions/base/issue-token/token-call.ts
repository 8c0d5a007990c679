import type { Call } from '../../../shared/http/endpoint.ts';
import { Credentials } from '../../../shared/store/credential/credentials.ts';
import { Grants } from '../../../shared/store/credential/grants.ts';
import type { contract } from './contract.ts';

export const tokenStores = { credentials: Credentials, grants: Grants };

/** A call of the token endpoint, whatever it is that it asks for. */
export type TokenCall = Call<typeof contract, typeof tokenStores>;
