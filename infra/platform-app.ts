import { App, type AppProps } from 'aws-cdk-lib';
import { Code } from 'aws-cdk-lib/aws-lambda';
import cdk from '../cdk.json' with { type: 'json' };
import { consumers } from '../functions/consumers.ts';
import { contracts } from '../functions/contracts.ts';
import type { Platform } from './constructs/platform.ts';
import { ApiStack } from './stacks/api-stack.ts';
import { ConsumersStack } from './stacks/consumers-stack.ts';
import { DataStack } from './stacks/data-stack.ts';
import { stageSettings } from './stages.ts';

export interface RewardsPlatformProps extends AppProps {
  /** The code of the function in a folder; its bundle in dist/ by default. */
  readonly code?: Platform['code'];
}

const bundled: Platform['code'] = (folder) => Code.fromAsset(`dist/${folder}`);

/**
 * The whole platform from the lists of contracts and consumers, for the stage in the context value `stage`.
 * Reads the feature flags of cdk.json itself, so that it does not need the CLI.
 */
export function rewardsPlatform({ code = bundled, ...props }: RewardsPlatformProps = {}): App {
  const app = new App({ analyticsReporting: false, ...props, context: { ...cdk.context, ...props.context } });
  const stage = stageSettings(app.node.tryGetContext('stage'));
  const named = (part: string) => `rewards-${stage.name}-${part}`;

  const { platform } = new DataStack(app, named('data'), { stage, code });
  new ApiStack(app, named('api'), { platform, contracts });
  new ConsumersStack(app, named('consumers'), { platform, consumers });

  return app;
}
