import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import type { StageSettings } from '../../infra/stages.ts';
import { type Host, hosts } from '../../shared/contracts/contract.ts';
import type { SyntheticTenant } from '../../shared/operations/synthetic-purchase.ts';
import type { makeDemoWorld } from '../admin/demo/world.ts';

/** The tests of a deployed stage: the hosts that they call, and the tenant that they act as. */

type SmokeTenant = Pick<Awaited<ReturnType<typeof makeDemoWorld>>, 'merchant' | 'campaigns' | 'unlinkedAccount'>;

export type Urls = Readonly<Record<Host, string>>;

/** Reads an output of a stack. */
export type ReadOutput = (stack: string, output: string) => Promise<string | undefined>;

/** The stack or its output does not exist. */
export class NoOutputError extends Error {
  override readonly name = 'NoOutputError';
}

/** The addresses that callers use for a stage's hosts: from the settings, or else from the outputs of the stacks. */
export async function urlsOf({ name, publicUrls }: StageSettings, read: ReadOutput): Promise<Urls> {
  const entries = await Promise.all(
    hosts.map(async (host) => {
      const stack = `rewards-${name}-${host}`;
      const url = publicUrls[host] ?? (await read(stack, 'Url'));
      if (url === undefined) throw new NoOutputError(`the stack ${stack} has no output Url: deploy the stage first`);
      return [host, url.replace(/\/$/, '')] as const;
    }),
  );
  return Object.fromEntries(entries) as Urls;
}

/** Reads outputs with the credentials of the environment. */
export function outputsIn(region: string): ReadOutput {
  const client = new CloudFormationClient({ region });
  return async (stack, output) => {
    const { Stacks: [found] = [] } = await client.send(new DescribeStacksCommand({ StackName: stack }));
    return found?.Outputs?.find(({ OutputKey }) => OutputKey === output)?.OutputValue;
  };
}

/** What the synthetic purchase needs of a tenant. */
export function syntheticTenantOf({ base, reward }: Urls, tenant: SmokeTenant): SyntheticTenant {
  const { merchant, campaigns, unlinkedAccount: account } = tenant;
  return { hosts: { base, reward }, apiKey: merchant.apiKey, campaignId: campaigns.earn, account };
}

/**
 * The flow tests that are safe on a stage. On a stage with real members, only two tests are safe: one reads the
 * documents, and one makes a purchase as the test tenant and refunds it. All other tests leave more data on the stage.
 */
export function testsFor({ keepsData }: StageSettings): readonly string[] {
  const everywhere = ['test/flow/smoke.test.ts', 'test/flow/openapi.test.ts'];
  return keepsData ? everywhere : [...everywhere, 'test/flow/story.test.ts', 'test/flow/refund.test.ts'];
}
