import { inject } from 'vitest';
import { contracts } from '../../../functions/contracts.ts';
import { hosts } from '../../../shared/contracts/contract.ts';
import type { Route } from '../../../tools/local/gateway/rest-api.ts';
import { findRoute } from '../../../tools/local/gateway/routing.ts';
import { expectDocumented, type SeenReply } from '../../support/openapi/documented.ts';

/**
 * Checks a reply against the OpenAPI document of its host. The gateway itself answers unknown routes,
 * which no document describes.
 *
 * @throws Error that lists the differences
 */
export function expectAsDocumented(method: string, url: string, reply: SeenReply): void {
  const addresses = inject('flow').hosts;
  const host = hosts.find((each) => url.startsWith(`${addresses[each]}/`));
  if (!host) return;
  const [path = ''] = url.slice(addresses[host].length).split('?');
  const routes = contracts
    .filter((contract) => contract.host === host)
    .map((contract) => ({ method: contract.method, resourcePath: contract.path }) as Route);
  const match = findRoute(routes, method, path);
  if (match) expectDocumented({ host, method, path: match.route.resourcePath }, reply);
}
