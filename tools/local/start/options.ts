import { parseArgs } from 'node:util';
import { portCount } from './port-claim.ts';

/** The options of `npm start`. */
export interface StartOptions {
  readonly persist: boolean;
  readonly seed: boolean;
  readonly dashboard: boolean;
  readonly json: boolean;
  /** The first port. By default, any free range of ports. */
  readonly portBase?: number;
  readonly stateDirectory: string;
  /** The folder of a cloud assembly that was built earlier. By default, the start builds one. */
  readonly assembly?: string;
}

export const usage = `npm start [-- options]

  --persist        keep tables and queues for the next start
  --no-seed        start without the demonstration's organisations, members and campaigns
  --no-dashboard   start without the dashboard
  --port-base N    listen on port N and the ${portCount - 1} ports after it
  --state-dir DIR  folder for addresses, logs and data (default: .local)
  --assembly DIR   start this built cloud assembly: the functions are not built again
  --json           print the content of .local/platform.json instead of a text
  --help           print this help`;

/**
 * Options that npm takes for its own options if the `--` before them is missing. npm then passes them on in the
 * environment.
 */
const ownOptions = ['persist', 'port-base', 'state-dir', 'assembly'] as const;

function requireDashes(environment: NodeJS.ProcessEnv): void {
  if (environment.npm_lifecycle_event !== 'start') return;
  const lost = ownOptions.find((name) => environment[`npm_config_${name.replace('-', '_')}`] !== undefined);
  if (lost) throw new Error(`npm took --${lost} for its own option: write npm start -- --${lost}`);
}

/**
 * @param environment of the process
 * @throws Error with the reason when an option is wrong
 */
export function readOptions(args: readonly string[], environment: NodeJS.ProcessEnv): StartOptions | 'help' {
  requireDashes(environment);
  const { values } = parseArgs({
    args: [...args],
    allowNegative: true,
    options: {
      persist: { type: 'boolean', default: false },
      seed: { type: 'boolean', default: true },
      dashboard: { type: 'boolean', default: true },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
      'port-base': { type: 'string' },
      'state-dir': { type: 'string', default: '.local' },
      assembly: { type: 'string' },
    },
  });
  if (values.help) return 'help';
  const portBase = values['port-base'] === undefined ? undefined : Number(values['port-base']);
  if (portBase !== undefined && !(Number.isInteger(portBase) && portBase >= 1 && portBase <= 65_000)) {
    throw new Error(`--port-base must be a port from 1 to 65000, not ${values['port-base']}`);
  }
  return {
    persist: values.persist,
    seed: values.seed,
    dashboard: values.dashboard,
    json: values.json,
    ...(portBase !== undefined && { portBase }),
    stateDirectory: values['state-dir'],
    ...(values.assembly !== undefined && { assembly: values.assembly }),
  };
}
