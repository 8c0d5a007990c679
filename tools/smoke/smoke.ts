import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import type { StageSettings } from '../../infra/stages.ts';
import { type Host, hosts } from '../../shared/contracts/contract.ts';
import type { SyntheticTenant } from '../../shared/operations/synthetic-purchase.ts';
import type { makeDemoWorld } from '../admin/demo/world.ts';
import { CommandError } from '../command.ts';

/** Which tests run on a deployed stage, which hosts they call, and which tenant they use. */

type SmokeTenant = Pick<Awaited<ReturnType<typeof makeDemoWorld>>, 'merchant' | 'campaigns' | 'unlinkedAccount'>;

export type Urls = Readonly<Record<Host, string>>;

/** Reads an output of a stack. */
export type ReadOutput = (stack: string, output: string) => Promise<string | undefined>;

/** The stack or its output does not exist. */
export class NoOutputError extends Error {
  override readonly name = 'NoOutputError';
}

/** The addresses that callers use for a stage's hosts: from the settings, or else from the outputs of the stacks. */
export async function urlsOf({ name, publicUrls, region }: StageSettings, read: ReadOutput): Promise<Urls> {
  const entries = await Promise.all(
    hosts.map(async (host) => {
      const stack = `rewards-${name}-${host}`;
      const url = publicUrls[host] ?? (await read(stack, 'Url'));
      if (url === undefined) {
        throw new NoOutputError(
          `this account has no stack ${stack} with the output Url in ${region}: deploy the stage, or name the profile of ` +
            'its account in AWS_PROFILE',
        );
      }
      return [host, url.replace(/\/$/, '')] as const;
    }),
  );
  return Object.fromEntries(entries) as Urls;
}

/** Whether the addresses of a stage are read from its stacks, and not only from the settings. */
export const needsAccount = ({ publicUrls }: Pick<StageSettings, 'publicUrls'>): boolean =>
  hosts.some((host) => publicUrls[host] === undefined);

/** Reads outputs with the credentials of the environment. A stack that does not exist has no outputs. */
export function outputsIn(region: string): ReadOutput {
  const client = new CloudFormationClient({ region });
  return async (stack, output) => {
    const { Stacks: [found] = [] } = await client
      .send(new DescribeStacksCommand({ StackName: stack }))
      .catch((error: unknown) => {
        if (error instanceof Error && error.message.includes('does not exist')) return { Stacks: [] };
        throw error;
      });
    return found?.Outputs?.find(({ OutputKey }) => OutputKey === output)?.OutputValue;
  };
}

/**
 * Reads the variable SMOKE_TENANT; undefined when it is not set.
 *
 * @throws CommandError when it is not what `--make-tenant` prints
 */
export function readTenant(text: string | undefined): object | undefined {
  if (!text) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    throw new CommandError('SMOKE_TENANT is no JSON: set it to the line that --make-tenant printed');
  }
}

/** What the synthetic purchase needs of a tenant. */
export function syntheticTenantOf({ base, reward }: Urls, tenant: SmokeTenant): SyntheticTenant {
  const { merchant, campaigns, unlinkedAccount: account } = tenant;
  return { hosts: { base, reward }, apiKey: merchant.apiKey, campaignId: campaigns.earn, account };
}

/**
 * The flow tests that are safe on a stage. On a stage with real members, only two tests are safe: one reads the
 * documents, and one makes a purchase as the test tenant and refunds it. All other tests leave more data on the stage.
 * Tests that only read would pass while no transaction can be written.
 */
export function testsFor({ keepsData }: StageSettings): readonly string[] {
  const everywhere = ['test/flow/smoke.test.ts', 'test/flow/openapi.test.ts'];
  return keepsData ? everywhere : [...everywhere, 'test/flow/story.test.ts', 'test/flow/refund.test.ts'];
}
