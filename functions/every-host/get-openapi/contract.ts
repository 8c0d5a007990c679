import * as z from 'zod/mini';
import { defineContract, type Host, hosts, noCredential } from '../../../shared/contracts/contract.ts';

/** The contract of a host's documentation. It is public, and its reply has no envelope. */
export const openApiContract = (host: Host) =>
  defineContract({
    host,
    name: 'get-openapi',
    method: 'GET',
    path: '/openapi.json',
    summary: 'Returns the OpenAPI 3.1 document of this host, generated from the contracts of its endpoints.',
    credential: noCredential,
    data: z.record(z.string(), z.unknown()),
    envelope: 'bare',
    isForBrowsers: true,
    refusals: {},
    access: { table: {} },
  });

/** The same endpoint on every host. */
export const openApiContracts = hosts.map(openApiContract);
