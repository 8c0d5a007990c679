import { localAccount } from '../account.ts';
import { startGateway } from '../gateway/gateway.ts';
import { type RestApi, readRestApis, toAwsUrl, toHostNames } from '../gateway/rest-api.ts';
import type { Lambda } from '../lambda/lambda.ts';
import type { LocalUrls } from '../template/local-urls.ts';
import type { Resources } from '../template/resources.ts';
import type { StartContext } from './services.ts';

/**
 * Starts one listener for each API of the template. Adds their base URLs to `localUrls`, and returns those of the hosts
 * that partners call.
 */
export async function startGateways(
  resources: Resources,
  { lambda, localUrls }: { readonly lambda: () => Lambda; readonly localUrls: LocalUrls },
  { options, stoppers, clock: { now } }: StartContext,
): Promise<Record<string, string>> {
  const { ports, integrationLimitMs } = options;
  const apis = readRestApis(resources);
  const names = toHostNames(apis.map(({ name }) => name));
  const gateways = await Promise.all(
    apis.map(async (api, index) => {
      const name = names[index] ?? api.name;
      const port = ports?.hosts?.[name] ?? 0;
      const gateway = await startGateway(api, { account: localAccount, lambda, now, port, integrationLimitMs });
      stoppers.add(() => gateway.stop());
      return { name, api, url: gateway.url };
    }),
  );
  for (const { api, url } of gateways) localUrls.add(toAwsUrl(api, localAccount), url);
  const forCallers = gateways.filter(({ api }) => !isBehindSite(api, resources));
  return Object.fromEntries(forCallers.map(({ name, url }) => [name, url]));
}

/**
 * Whether only the delivery network calls an API: its domain name is stored for the delivery network. The other APIs are
 * hosts for partners.
 */
function isBehindSite(api: RestApi, resources: Resources): boolean {
  const stored = resources
    .ofType('AWS::SSM::Parameter')
    .map((parameter) => parameter.properties<{ Value: string }>().Value);
  const { host } = new URL(toAwsUrl(api, localAccount));
  return stored.includes(host);
}
