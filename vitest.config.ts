import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: ['test/flow/**'],
          // One DynamoDB Local for the whole run; every test file makes a table of its own in it.
          globalSetup: ['test/support/dynamodb-local.ts'],
          testTimeout: 15_000,
        },
      },
      {
        test: {
          name: 'flow',
          include: ['test/flow/**/*.test.ts'],
          globalSetup: ['test/support/flow-platform.ts'],
          testTimeout: 30_000,
          hookTimeout: 30_000,
          // One platform for all files, whose faults are everybody's: one file after the other, after all else.
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
