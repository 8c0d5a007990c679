import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // One DynamoDB Local for the whole run; every test file makes a table of its own in it.
    globalSetup: ['test/support/dynamodb-local.ts'],
    testTimeout: 15_000,
  },
});
