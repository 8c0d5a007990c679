import { localAccount } from '../account.ts';
import { startGateway } from '../gateway/gateway.ts';
import { readRestApis, toAwsUrl, toHostNames } from '../gateway/rest-api.ts';
import type { Lambda } from '../lambda/lambda.ts';
import type { Resources } from '../template/resources.ts';
import type { StartContext } from './services.ts';

export interface Gateways {
  /** The base URL of each host. */
  readonly hosts: Record<string, string>;
  /** The same base URLs. Their keys are the URLs that the APIs have in the template. */
  readonly apiUrls: ReadonlyMap<string, string>;
}

/** Starts one listener for each API of the template. */
export async function startGateways(
  resources: Resources,
  lambda: () => Lambda,
  { options, stoppers, clock: { now } }: StartContext,
): Promise<Gateways> {
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
  return {
    hosts: Object.fromEntries(gateways.map(({ name, url }) => [name, url])),
    apiUrls: new Map(gateways.map(({ api, url }) => [toAwsUrl(api, localAccount), url])),
  };
}
