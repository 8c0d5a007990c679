import type { AnyContract, Host } from '../../contracts/contract.ts';
import { componentsOf } from './components.ts';
import type { Definitions, JsonObject } from './json-schema.ts';
import { operationOf, tagOf } from './operation.ts';
import { webhooks } from './webhooks.ts';

/** An OpenAPI 3.1 document: the parts that are read here. */
export interface OpenApiDocument extends JsonObject {
  readonly openapi: '3.1.0';
  readonly paths: Readonly<Record<string, Readonly<Record<string, JsonObject>>>>;
  readonly components: JsonObject;
}

/** Version and addresses of a document. */
interface Edition {
  readonly version: string;
  readonly servers: readonly { readonly url: string; readonly description: string }[];
}

/**
 * The OpenAPI 3.1 document of a host.
 *
 * @param contracts of all hosts: the names of operations are unique over all of them
 */
export function openApiOf(host: Host, contracts: readonly AnyContract[], edition: Edition): OpenApiDocument {
  const own = contracts.filter((contract) => contract.host === host);
  const definitions: Definitions = {};
  const paths: Record<string, Record<string, JsonObject>> = {};
  for (const contract of own) {
    const operation = operationOf(contract, contracts, definitions);
    paths[contract.path] = { ...paths[contract.path], [contract.method.toLowerCase()]: operation };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: `Rewards Platform: ${host} host`,
      version: edition.version,
      summary: 'A loyalty-rewards network of merchants and loyalty partners.',
    },
    servers: edition.servers,
    tags: [...new Set(own.map(tagOf))].toSorted().map((name) => ({ name })),
    paths,
    ...(host === 'notification' && { webhooks: webhooks() }),
    components: componentsOf(own, definitions),
  };
}

/** The edition with placeholders: each partner receives the addresses of its two environments separately. */
export function publishedEdition(host: Host): Edition {
  return {
    version: '1.0.0',
    servers: [
      { url: `https://${host}.sandbox.rewards.example`, description: 'Sandbox (placeholder)' },
      { url: `https://${host}.rewards.example`, description: 'Production (placeholder)' },
    ],
  };
}
