import { validityMs } from '../../contracts/limits.ts';
import { digestOf, type SecretKind, secretText, userTokenText } from '../../store/credential/credentials.ts';
import type { TokenPair } from '../../store/credential/grants.ts';
import type { OperationDeps } from '../operation.ts';

/** The user for whom tokens are issued, and the merchant that receives them. */
export interface TokenHolder {
  readonly organisationId: number;
  readonly userId: number;
  readonly userUuid: string;
  readonly grantId: string;
}

/** The tokens of a user, for the client. Only their digests are stored. */
export interface UserTokens {
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly expiresInSeconds: number;
  readonly userId: number;
}

/** Makes a secret that contains the name of this stage. */
export function newSecret(deps: Pick<OperationDeps, 'config' | 'random'>, kind: SecretKind): string {
  return secretText(kind, deps.config.stage, deps.random(32));
}

/** Makes a token pair of a user: the texts for the client, and the digests for the table. */
export function newTokenPair(deps: Pick<OperationDeps, 'config' | 'random' | 'now'>, holder: TokenHolder) {
  const accessToken = userTokenText(deps.config.stage, holder.grantId, deps.random(16));
  const refreshToken = newSecret(deps, 'refreshToken');
  const now = deps.now();
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
