import * as z from 'zod/mini';
import { defineContract, type Host, noCredential } from '../../contracts/contract.ts';

/** The contract of a host's documentation. It is public, and its reply has no envelope. */
export function openApiContract(host: Host) {
  return defineContract({
    host,
    name: 'get-openapi',
    method: 'GET',
    path: '/openapi.json',
    summary: 'Returns the OpenAPI 3.1 document of this host, generated from the contracts of its endpoints.',
    credential: noCredential,
    data: z.record(z.string(), z.unknown()),
    envelope: 'bare',
    isForBrowsers: true,
    errorField: 'error',
    refusals: {},
    access: { table: {} },
  });
}
