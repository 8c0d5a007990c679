import * as z from 'zod/mini';
import { defineContract, type Host, noCredential } from '../../contracts/contract.ts';

/** The contract of a host's documentation: everybody may read it, and it is sent as it is. */
export function openApiContract(host: Host) {
  return defineContract({
    host,
    name: 'get-openapi',
    method: 'GET',
    path: '/openapi.json',
    summary: 'This host as an OpenAPI 3.1 document, made from the contracts that its endpoints run by.',
    credential: noCredential,
    data: z.record(z.string(), z.unknown()),
    envelope: 'bare',
    errorField: 'error',
    refusals: {},
    access: { table: {} },
  });
}
