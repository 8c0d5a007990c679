import { contracts } from '../../../functions/contracts.ts';
import { managementContracts } from '../../../functions/management/contracts.ts';
import { type ContractHost, managementHost } from '../../../shared/contracts/contract.ts';
import {
  managementOpenApi,
  type OpenApiDocument,
  openApiOf,
  publishedEdition,
} from '../../../shared/http/openapi/document.ts';

const made = new Map<ContractHost, OpenApiDocument>();

/** The OpenAPI document of a host, made once in a process. */
export function documentOf(host: ContractHost): OpenApiDocument {
  const known =
    made.get(host) ??
    (host === managementHost
      ? managementOpenApi(managementContracts)
      : openApiOf(host, contracts, publishedEdition(host)));
  made.set(host, known);
  return known;
}

/** Every operation of a document. */
export function operationsOf({ paths }: OpenApiDocument) {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
}
