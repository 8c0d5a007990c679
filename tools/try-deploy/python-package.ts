import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isMissing, messageOf } from '../command.ts';
import { ProgramError, runProgram } from './run-program.ts';

/** A program from Python's package index, in one version. */
export interface PythonPackage {
  readonly name: string;
  readonly version: string;
}

/** The machine has no Python, or the package index is out of reach. */
export class NotInstallableError extends Error {
  override readonly name = 'NotInstallableError';
}

interface Place {
  /** The folder of the virtual environments and logs. */
  readonly folder: string;
  readonly signal: AbortSignal;
}

/**
 * Installs a package into a virtual environment of its own, which later runs use again. Returns the path of the program
 * with the package's name.
 * @throws NotInstallableError
 */
export async function installPackage({ name, version }: PythonPackage, { folder, signal }: Place): Promise<string> {
  const venv = join(folder, `${name}-${version}`);
  const program = join(venv, 'bin', name);
  // This file is written last, so an interrupted installation is repeated.
  const marker = join(venv, 'installed');
  if (existsSync(marker)) return program;
  const options = { env: process.env, log: join(folder, `install-${name}.log`), signal };
  try {
    await mkdir(folder, { recursive: true });
    await runProgram(['python3', '-m', 'venv', '--clear', venv], options);
    const pip = join(venv, 'bin', 'pip');
    await runProgram([pip, 'install', '--quiet', '--retries', '1', `${name}==${version}`], options);
    await mkdir(marker);
    return program;
  } catch (error) {
    if (signal.aborted) throw error;
    const reason = error instanceof ProgramError ? error.message.split('\n').at(-1) : messageOf(error);
    if (isMissing(error))
      throw new NotInstallableError('there is no python3: install Python 3.10 or newer, then try again');
    throw new NotInstallableError(`${name} ${version} cannot be installed: ${reason}`);
  }
}
