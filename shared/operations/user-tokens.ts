import { validityMs } from '../contracts/limits.ts';
import type { TokenPair } from '../store/credential/credentials.ts';
import { digestOf, type SecretKind, secretText } from '../store/credential/credentials.ts';
import type { OperationDeps } from './operation.ts';

/** Whom tokens speak for, and to whom they are given. */
export interface TokenHolder {
  readonly organisationId: number;
  readonly userId: number;
  readonly userUuid: string;
  readonly grantId: string;
}

/** A new secret of this stage. */
export function newSecret(platform: Pick<OperationDeps, 'config' | 'random'>, kind: SecretKind): string {
  return secretText(kind, platform.config.stage, platform.random(32));
}

/** New tokens for a member: the texts for the client, what is stored of them for the table. */
export function newTokenPair(platform: Pick<OperationDeps, 'config' | 'random' | 'now'>, holder: TokenHolder) {
  const accessToken = newSecret(platform, 'userToken');
  const refreshToken = newSecret(platform, 'refreshToken');
  const now = platform.now();
  const common = { ...holder, isRevoked: false, createdAt: now.toISOString() };
  const after = (durationMs: number) => new Date(now.getTime() + durationMs).toISOString();
  const pair: TokenPair = {
    access: {
      ...common,
      kind: 'userToken',
      digest: digestOf(accessToken),
      expiresAt: after(validityMs.userAccessToken),
    },
    refresh: {
      ...common,
      kind: 'refreshToken',
      digest: digestOf(refreshToken),
      expiresAt: after(validityMs.userRefreshToken),
    },
  };
  return { accessToken, refreshToken, pair };
}
