import { fromEnv } from '@aws-sdk/credential-provider-env';

/**
 * Stands in for `@aws-sdk/credential-provider-node` in the Lambda bundles (tools/build/build.ts).
 *
 * Lambda only ever hands over credentials by environment, and so does the local runner. The chain that
 * this replaces also looks in profiles, SSO, containers and instance metadata: 130 KB of bundle
 * and a quarter of its import time, for places that do not exist there.
 */
export const defaultProvider = (): ReturnType<typeof fromEnv> => fromEnv();
