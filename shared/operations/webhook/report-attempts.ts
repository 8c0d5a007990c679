import { maximumAttempts } from '../../contracts/limits.ts';
import type { RecentSubscriptions, Subscriptions } from '../../store/webhook/subscriptions.ts';
import { HealthConflictError } from '../../store/webhook/subscriptions.ts';
import { afterAttempt, type HealthChange, laneOf, newHealth } from '../../webhooks/endpoint-health.ts';
import type { Subscription } from '../../webhooks/subscription.ts';
import { type Conflict, type Deps, decideAndWrite } from '../operation.ts';
import type { Attempt } from './attempt-delivery.ts';
import { setTimer, type TimerDeps } from './endpoint-timer.ts';

export interface ReportDeps extends TimerDeps, Pick<Deps, 'log'> {
  readonly table: Pick<Deps['table'], 'pause'>;
  readonly subscriptions: Pick<Subscriptions, 'find' | 'writeHealth'>;
  readonly recent: Pick<RecentSubscriptions, 'note'>;
  readonly randomShare: () => number;
}

/**
 * Adds attempts to the health of their endpoint. Writes nothing while a healthy endpoint stays healthy. Safe to repeat
 * and to lose: the next attempts show the same.
 *
 * @param subscription as the attempts used it
 * @returns the subscription with its health after the attempts; undefined when it was deleted
 */
export async function reportAttempts(
  subscription: Subscription,
  attempts: readonly Attempt[],
  deps: ReportDeps,
): Promise<Subscription | undefined> {
  const random = deps.randomShare();
  if (!isChanged(subscription, changeAfter(subscription, attempts, random))) return subscription;
  try {
    return await decideAndWrite(
      {
        subject: `the health of endpoint ${subscription.subscriptionId}`,
        load: async (conflict?: Conflict<ReportState>): Promise<ReportState> => ({
          fresh: await deps.subscriptions.find(subscription),
          round: conflict?.round ?? 0,
        }),
        write: (state) => writeChange(state, { attempts, random }, deps),
        conflicts: [HealthConflictError],
      },
      deps,
    );
  } catch (error) {
    deps.log.warn('endpoint.not_updated', { subscriptionId: subscription.subscriptionId, error });
    return { ...subscription, health: changeAfter(subscription, attempts, random).health };
  }
}

interface ReportState {
  readonly fresh: Subscription | undefined;
  /** Conflicts so far. */
  readonly round: number;
}

async function writeChange(
  { fresh, round }: ReportState,
  { attempts, random }: { readonly attempts: readonly Attempt[]; readonly random: number },
  deps: ReportDeps,
): Promise<Subscription | undefined> {
  if (!fresh) return undefined;
  const current = attempts.filter(({ endpointUrl }) => endpointUrl === fresh.endpointUrl);
  const change = changeAfter(fresh, current, random);
  // Of many writers at the same time, a few are enough to show how an endpoint replies.
  if (!isChanged(fresh, change) || (round >= maximumAttempts.minorHealth && isMinor(fresh, change))) {
    deps.recent.note(fresh);
    return fresh;
  }
  const { resumeAt } = change.health;
  if (resumeAt !== undefined && resumeAt !== fresh.health?.resumeAt) await setTimer(fresh, resumeAt, deps);
  const after = await deps.subscriptions.writeHealth(fresh, change, { now: deps.now(), nextUuid: deps.nextUuid });
  deps.recent.note(after);
  return after;
}

function changeAfter({ health = newHealth }: Subscription, attempts: readonly Attempt[], random: number): HealthChange {
  return attempts.reduce<HealthChange>(
    (change, { outcome, at, isRetry }) => {
      const next = afterAttempt(change.health, { outcome, at, random, isRetry });
      return { health: next.health, events: [...change.events, ...next.events] };
    },
    { health, events: [] },
  );
}

/** Whether a change is about the last attempts only, and not about the state or the lane. */
const isMinor = ({ health = newHealth }: Subscription, { health: after }: HealthChange) =>
  health.state === after.state && laneOf(health) === laneOf(after) && health.failingSince === after.failingSince;

const isChanged = ({ health = newHealth }: Subscription, change: HealthChange) => change.health !== health;
