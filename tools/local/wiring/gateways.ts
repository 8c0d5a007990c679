import { localAccount } from '../account.ts';
import { startGateway } from '../gateway/gateway.ts';
import { readRestApis, toAwsUrl, toHostNames } from '../gateway/rest-api.ts';
import type { Lambda } from '../lambda/lambda.ts';
import type { LocalUrls } from '../template/local-urls.ts';
import type { Resources } from '../template/resources.ts';
import type { StartContext } from './services.ts';

/** Starts one listener for each API of the template. Returns the base URL of each host, and adds it to `localUrls`. */
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
  return Object.fromEntries(gateways.map(({ name, url }) => [name, url]));
}
