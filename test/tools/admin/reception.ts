import { contract } from '../../../functions/base/get-partnership/contract.ts';
import { handler } from '../../../functions/base/get-partnership/handler.ts';
import { call } from '../../support/call.ts';
import type { World } from '../../support/world.ts';

/** How endpoint 6 answers a partner key that asks for the partnership of the demonstration. */
export type Reception = 'good' | 'not valid' | 'not allowed' | 'of another tenant';

const receptions: Readonly<Record<number, Reception>> = {
  200: 'good',
  [contract.credential.invalid.status]: 'not valid',
  [contract.credential.forbidden.status]: 'not allowed',
  404: 'of another tenant',
};

/** Calls endpoint 6. Call this only once for a key, because the function caches a key for some seconds. */
export async function receptionOf({ demo }: World, apiKey: string): Promise<Reception | undefined> {
  const { status } = await call(handler, contract, {
    params: { id: demo.partnership.uuid },
    headers: { 'x-api-key': apiKey },
  });
  return receptions[status];
}
