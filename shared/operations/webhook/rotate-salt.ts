import { saltBytes } from '../../webhooks/delivery-request.ts';
import { rotateSalt as rotated } from '../../webhooks/salt-rotation.ts';
import type { Replying } from '../operation.ts';
import { type AuditedDeps, auditWrites } from '../write-audited.ts';
import { changeEndpoint, type EndpointRequest, type findEndpointStores } from './find-endpoint.ts';

/** A new salt. Shown once: only the subscription contains it afterwards. */
export interface NewSalt {
  readonly salt: string;
  /** From this time on it is the only salt. */
  readonly activatesAt: string;
}

/**
 * Gives a subscription a new salt, which signs beside the present one until it replaces it.
 *
 * @throws RotationRunningError while an earlier rotation is not at its end
 * @throws SubscriptionNotFoundError, SubscriptionNotReadableError
 */
export function rotateSalt(
  request: EndpointRequest,
  deps: AuditedDeps<typeof findEndpointStores> & Replying<NewSalt>,
): Promise<NewSalt> {
  return changeEndpoint(
    request,
    async (subscription) => {
      const newSalt = Buffer.from(deps.random(saltBytes)).toString('hex');
      const salts = rotated(subscription, newSalt, deps.now());
      await deps.subscriptions.writeSalts(subscription, salts, [
        ...(await auditWrites(`begins to replace the salt of subscription ${subscription.subscriptionId}`, deps)),
        ...(deps.replyWrites?.(salts.nextSalt) ?? []),
      ]);
      return salts.nextSalt;
    },
    deps,
  );
}
