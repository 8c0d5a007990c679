import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Platform } from '../../../tools/local/platform.ts';
import { startPlatform } from '../../../tools/local/platform.ts';
import { findFreePort } from '../../../tools/local/ports.ts';
import { startDemoProgram } from '../../../tools/local/start/demo-program.ts';
import { seed } from '../../../tools/local/start/scripts.ts';
import { toPayments } from '../../../tools/local/start/state.ts';
import { Stoppers } from '../../../tools/local/stoppers.ts';
import { findAssembly } from '../../support/find-assembly.ts';
import { testWorkers } from '../../support/flow-platform.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { startStandIns } from './stand-ins.ts';

/** The project as a reader of the documents sees it: its folder, and a platform that `npm start` runs. */
export interface ReadersProject {
  readonly folder: string;
  /** PATH with the stand-ins. */
  readonly path: string;
  readonly platform: Platform;
  readonly stop: () => Promise<void>;
}

const root = join(import.meta.dirname, '../../..');

/** Files of the project that documents use. */
const linked = {
  tools: 'tools',
  'node_modules/@rewards-platform/client': 'clients/typescript',
  'node_modules/@types/node': 'node_modules/@types/node',
  'node_modules/standardwebhooks': 'node_modules/standardwebhooks',
};

/** Starts a platform with the demonstration, as `npm start` does. It enforces the functions' roles. */
export async function startReadersProject(): Promise<ReadersProject> {
  const stoppers = new Stoppers();
  const folder = temporaryFolder('documents');
  const state = join(folder, '.local');
  mkdirSync(state);
  for (const [name, target] of Object.entries(linked)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    symlinkSync(join(root, target), join(folder, name));
  }
  try {
    const platform = await startPlatform({
      assembly: await findAssembly(state),
      stateDirectory: state,
      enforceIam: true,
      recordDynamoDb: true,
      workers: testWorkers,
    });
    stoppers.add(() => platform.stop());
    const program = await startDemoProgram({ port: await findFreePort() });
    stoppers.add(() => program.stop());
    const { hosts, aws } = platform;
    const { payments, ...demo } = await seed({ aws, program, signal: AbortSignal.timeout(60_000) });
    await program.reportTo(`${hosts.base}/programs/${demo.partner?.id}/reports`);
    const content = { hosts, aws, payments: toPayments(platform, payments), demo };
    writeFileSync(join(state, 'platform.json'), JSON.stringify(content));
    const standIns = await startStandIns(join(folder, 'bin'), state);
    stoppers.add(() => standIns.stop());
    const path = `${join(folder, 'bin')}:${dirname(process.execPath)}:${process.env.PATH}`;
    return { folder, path, platform, stop: () => stoppers.stop() };
  } catch (error) {
    await stoppers.stop();
    throw error;
  }
}
