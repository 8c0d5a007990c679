import { defineConfig } from 'vitest/config';
import { SlowFirst } from './test/support/slow-first.ts';
import { TallyReporter } from './test/support/tally-reporter.ts';

export default defineConfig({
  test: {
    reporters: ['minimal', new TallyReporter()],
    sequence: { sequencer: SlowFirst },
    projects: [
      {
        test: {
          name: 'unit',
          isolate: false,
          setupFiles: ['test/support/fresh-modules.ts'],
          // Many tests wait for the table or a timer: on two processors, two workers leave a quarter of the time unused.
          maxWorkers: 3,
          include: ['test/**/*.test.ts'],
          exclude: ['test/flow/**', 'test/infra/**', 'test/browser/**'],
          // One DynamoDB Local for the whole run; every test file makes a table of its own in it.
          globalSetup: ['test/support/dynamodb-local.ts'],
          testTimeout: 30_000,
          hookTimeout: 30_000,
        },
      },
      {
        test: {
          name: 'infra',
          maxWorkers: 3,
          include: ['test/infra/**/*.test.ts'],
          // Templates are synthesized once per worker: the files share them.
          isolate: false,
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'flow',
          include: ['test/flow/**/*.test.ts'],
          exclude: ['test/flow/documents.test.ts'],
          globalSetup: ['test/support/flow-platform.ts'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
          // All files share one platform, and a fault that one file requests affects all. So the files run one by one,
          // after all other tests.
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          name: 'browser',
          include: ['test/browser/**/*.test.ts'],
          exclude: ['test/browser/screens.test.ts'],
          globalSetup: ['test/browser/support/shared-platform.ts'],
          testTimeout: 60_000,
          hookTimeout: 120_000,
          maxWorkers: 1,
          sequence: { groupOrder: 4 },
        },
      },
      {
        test: {
          // The states of every screen, without a platform.
          name: 'screens',
          include: ['test/browser/screens.test.ts'],
          testTimeout: 60_000,
          hookTimeout: 120_000,
          sequence: { groupOrder: 3 },
        },
      },
      {
        test: {
          name: 'documents',
          // It starts a platform of its own.
          include: ['test/flow/documents.test.ts'],
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
