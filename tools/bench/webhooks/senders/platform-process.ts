import { provisionOrganisation } from '../../../../shared/operations/organisation/provision-organisation.ts';
import { type Platform as ComposedPlatform, composePlatform } from '../../../../shared/runtime/platform.ts';
import { readConfig } from '../../../../shared/runtime/runtime.ts';
import { startPlatform } from '../../../local/platform.ts';
import type { AwsAddresses, Platform } from '../../../local/platform-options.ts';
import { operatorEnvironment } from '../../../local/start/scripts.ts';
import { serve } from '../child-process.ts';

interface StartOptions {
  /** The folder of the cloud assembly. */
  readonly assembly: string;
  readonly stateDirectory: string;
  readonly concurrency: number | undefined;
}

/** The functions between the bus and the endpoint. */
const delivering = /^consumers\/(fan-out-event|deliver-|resume-endpoint)/;
/**
 * SQS's default. A message that a killed function had received becomes visible after this time. With the template's
 * value, that would take minutes.
 */
const visibilityTimeoutSeconds = 30;

/** The local platform's default for each function. */
const workers = 4;

let running: { readonly platform: Platform; readonly operator: ComposedPlatform } | undefined;

function parts(): NonNullable<typeof running> {
  if (!running) throw new Error('the platform was not started');
  return running;
}

/** Starts the workers of functions before the measurement: on Lambda, a busy function has running instances too. */
async function startWorkers({ functions, invoke }: Pick<Platform, 'functions' | 'invoke'>): Promise<void> {
  for (const name of functions.filter((each) => delivering.test(each))) {
    await Promise.all(Array.from({ length: workers }, () => invoke(name, { Records: [] })));
  }
}

const api = {
  start: async ({ concurrency, ...options }: StartOptions): Promise<{ aws: AwsAddresses; webhooksUrl: string }> => {
    const platform = await startPlatform({
      ...options,
      visibilityTimeoutSeconds,
      clock: 'controlled',
      // The hourly sweeps do not run. The bench skips whole hours of the clock, and does not measure sweeps.
      schedules: false,
      ...(concurrency !== undefined && { concurrency }),
    });
    await startWorkers(platform);
    Object.assign(process.env, operatorEnvironment(platform.aws));
    running = { platform, operator: composePlatform(readConfig(process.env)) };
    return { aws: platform.aws, webhooksUrl: `${platform.hosts.notification}/webhooks` };
  },

  /** Creates an organisation with a key that may subscribe. */
  provision: async (name: string): Promise<{ id: number; apiKey: string }> => {
    const { organisation, key } = await provisionOrganisation({ name, kind: 'MERCHANT' }, parts().operator);
    return { id: organisation.id, apiKey: key.secret };
  },

  /** Ends every worker that delivers, with all that it has in memory. */
  killDeliverers: async (): Promise<void> => {
    const { platform } = parts();
    await Promise.all(platform.functions.filter((name) => delivering.test(name)).map((name) => platform.kill(name)));
  },

  advance: (ms: number): Promise<void> => parts().platform.clock.advance(ms),

  stop: async (): Promise<void> => running?.platform.stop(),
};

/** The functions of the process of the platform. */
export type PlatformApi = typeof api;

serve(api);
