import { fromEnv } from '@aws-sdk/credential-provider-env';

/**
 * Replaces `@aws-sdk/credential-provider-node` in the Lambda bundles (tools/build/bundle.ts).
 *
 * Lambda and the local platform pass credentials only in the environment. The replaced chain also reads profiles, SSO,
 * containers and instance metadata. It would cost 130 KB of bundle and a quarter of the import time.
 */
export const defaultProvider = (): ReturnType<typeof fromEnv> => fromEnv();
