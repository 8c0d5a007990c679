import { afterAll, vi } from 'vitest';

/**
 * Vitest's setup of every unit test file. Files follow one another in a process, because starting one and loading the
 * libraries takes longer than most files. Each file evaluates the project's modules anew, and finds the environment
 * variables, timers and functions as the first file did.
 */

const environment = { ...process.env };

vi.resetModules();

afterAll(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  for (const name of Object.keys(process.env)) if (!(name in environment)) delete process.env[name];
  Object.assign(process.env, environment);
});
