import { App, type AppProps, Stack } from 'aws-cdk-lib';
import { Code } from 'aws-cdk-lib/aws-lambda';
import cdk from '../cdk.json' with { type: 'json' };
import { consumers } from '../functions/consumers.ts';
import { contracts } from '../functions/contracts.ts';
import { managementResources } from '../functions/management/contracts.ts';
import { triggers } from '../functions/triggers.ts';
import type { Consumer } from '../shared/contracts/consumer.ts';
import { type AnyContract, hosts } from '../shared/contracts/contract.ts';
import type { ManagementResources } from './constructs/management-host.ts';
import type { Platform } from './constructs/platform.ts';
import { tagResources } from './constructs/tags.ts';
import { AccessStack } from './stacks/access-stack.ts';
import { AccountStack } from './stacks/account-stack.ts';
import { ConsumersStack } from './stacks/consumers-stack.ts';
import { DataStack } from './stacks/data-stack.ts';
import { EdgeStack, HostStack } from './stacks/host-stacks.ts';
import { IdentityStack } from './stacks/identity-stack.ts';
import { ManagementStack } from './stacks/management-stack.ts';
import { SitesStack } from './stacks/sites-stack.ts';
import { WatchStack } from './stacks/watch-stack.ts';
import { type StageSettings, stageSettings } from './stages.ts';

export interface RewardsPlatformProps extends AppProps {
  /** The stage; by default the one that the context value `stage` names. */
  readonly stage?: StageSettings;
  /** The code of the function in a folder; its bundle in dist/ by default. */
  readonly code?: Platform['code'];
  /** The contracts and consumers to deploy; all of them by default. */
  readonly functions?: {
    readonly contracts: readonly AnyContract[];
    readonly consumers: readonly Consumer[];
    readonly resources?: ManagementResources;
  };
  /** The folder of the built dashboard; dashboard/dist/ by default. */
  readonly dashboard?: string;
}

const bundled: Platform['code'] = (folder) => Code.fromAsset(`dist/${folder}`);

/**
 * The whole platform from the lists of contracts and consumers, for the stage in the context value `stage`. Reads the
 * feature flags of cdk.json itself, so it runs without the CLI.
 *
 * The consumers are deployed before the hosts, because a new endpoint may write events that only the new consumers
 * understand. The hosts are deployed one by one, because API Gateway refuses many changes in quick succession.
 */
export function rewardsPlatform({
  code = bundled,
  dashboard = 'dashboard/dist',
  functions = { contracts, consumers },
  stage: settings,
  ...props
}: RewardsPlatformProps = {}): App {
  const app = new App({ analyticsReporting: false, ...props, context: { ...cdk.context, ...props.context } });
  const stage = settings ?? stageSettings(app.node.tryGetContext('stage'));
  const named = (part: string) => `rewards-${stage.name}-${part}`;

  const account = new AccountStack(app, 'rewards-account', stage);
  const data = new DataStack(app, named('data'), { stage, code });
  const edge = new EdgeStack(app, named('edge'), { stage });
  // The rules of the firewall contain the secret of the delivery network.
  edge.addStackDependency(data);
  new AccessStack(app, named('access'), { stage, data });
  const processing = new ConsumersStack(app, named('consumers'), { stage, data, consumers: functions.consumers });
  // API Gateway can write logs of a host only after the account has the setting for logs.
  processing.addStackDependency(account);
  let before: Stack = processing;
  for (const host of hosts) {
    const own = functions.contracts.filter((contract) => contract.host === host);
    const stack = new HostStack(app, named(host), { stage, data, edge, host, contracts: own });
    stack.addStackDependency(before);
    before = stack;
  }
  const { resources = managementResources } = functions;
  const management = new ManagementStack(app, named('management'), { stage, data, edge, resources });
  management.addStackDependency(before);
  before = management;
  const sites = new SitesStack(app, named('sites'), { stage, dashboard });
  // The delivery network leads to the API of `management`.
  sites.addStackDependency(before);
  const identity = new IdentityStack(app, named('identity'), { stage, data, triggers });
  // The client of the user pool names the address of the dashboard.
  identity.addStackDependency(sites);
  before = identity;
  const watch = new WatchStack(app, named('watch'), { stage, data, ...functions });
  watch.addStackDependency(before);

  tagResources(account, 'account');
  for (const stack of app.node.children.filter(Stack.isStack)) {
    if (stack !== account) tagResources(stack, stack.stackName.slice(named('').length), stage);
  }

  return app;
}
