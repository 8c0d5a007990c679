import type { EndpointDue } from '../../contracts/events.ts';
import { webhookMs } from '../../contracts/limits.ts';
import { Deliveries } from '../../store/webhook/deliveries.ts';
import { Replays } from '../../store/webhook/replays.ts';
import { HealthConflictError, RecentSubscriptions, Subscriptions } from '../../store/webhook/subscriptions.ts';
import { type EndpointHealth, newHealth } from '../../webhooks/endpoint-health.ts';
import { afterRun, type Run } from '../../webhooks/resume-run.ts';
import type { Subscription } from '../../webhooks/subscription.ts';
import { decideAndWrite } from '../operation.ts';
import { setTimer } from './endpoint-timer.ts';
import { type RunDeps, runEndpoint } from './run-endpoint.ts';

export const resumeEndpointStores = {
  subscriptions: Subscriptions,
  recent: RecentSubscriptions,
  deliveries: Deliveries,
  replays: Replays,
};

export interface ResumeDeps extends RunDeps {
  readonly subscriptions: Pick<Subscriptions, 'findById' | 'writeHealth'>;
}

/** A turn to work for an endpoint. */
interface Turn {
  readonly subscription: Subscription;
  /** Identifies the turn. Another turn begins only after this time. */
  readonly leaseUntil: string;
}

/**
 * Does the due work of an endpoint: probes it when it does not work, or sends some of its parked deliveries, the oldest
 * first. Then sets the timer for the next run. Only one run at a time works for an endpoint. A run that ends early
 * leaves its message in the queue, and the next run continues after the lease.
 */
export async function resumeEndpoint(due: EndpointDue, deps: ResumeDeps): Promise<void> {
  const turn = await takeTurn(due, deps);
  if (!turn) return;
  const run = await runEndpoint(turn.subscription, deps);
  await endTurn(turn, run, deps);
}

function takeTurn(due: EndpointDue, deps: ResumeDeps): Promise<Turn | undefined> {
  return decideAndWrite(
    {
      subject: `the turn for endpoint ${due.entityId}`,
      load: () => deps.subscriptions.findById(due.organisationId, due.entityId),
      write: (subscription) => tryTurn(subscription, deps),
      conflicts: [HealthConflictError],
    },
    deps,
  );
}

/** @returns undefined when there is no work now */
async function tryTurn(subscription: Subscription | undefined, deps: ResumeDeps): Promise<Turn | undefined> {
  const { resumeAt, leaseUntil } = subscription?.health ?? newHealth;
  if (!subscription?.health || resumeAt === undefined) return undefined;
  const nowMs = deps.now().getTime();
  const waitMs = Date.parse(resumeAt) - nowMs;
  if (waitMs > 0) {
    // A later time has a timer of its own. The message of this timer may only be as early as clocks differ.
    if (waitMs <= webhookMs.clockSkew) await setTimer(subscription, resumeAt, deps);
    return undefined;
  }
  // The run that has the turn sets the next timer at its end.
  if (leaseUntil !== undefined && Date.parse(leaseUntil) > nowMs) return undefined;
  const lease = new Date(nowMs + webhookMs.resumeLease).toISOString();
  const health: EndpointHealth = { ...subscription.health, leaseUntil: lease };
  return { subscription: await writeHealth(subscription, { health, events: [] }, deps), leaseUntil: lease };
}

/** Writes the result of a run, unless the turn is over or the endpoint has moved to another URL. */
function endTurn({ subscription, leaseUntil }: Turn, run: Run, deps: ResumeDeps): Promise<void> {
  const { organisationId, subscriptionId } = subscription;
  return decideAndWrite(
    {
      subject: `the end of the turn for endpoint ${subscriptionId}`,
      load: () => deps.subscriptions.findById(organisationId, subscriptionId),
      write: async (fresh) => {
        if (fresh?.health?.leaseUntil !== leaseUntil) return;
        const change = afterRun(fresh.health, run, { now: deps.now(), random: deps.randomShare() });
        const { resumeAt } = change.health;
        if (resumeAt !== undefined) await setTimer(fresh, resumeAt, deps);
        const after = await writeHealth(fresh, change, deps);
        deps.recent.note(after);
      },
      conflicts: [HealthConflictError],
    },
    deps,
  );
}

function writeHealth(
  subscription: Subscription,
  change: Parameters<Subscriptions['writeHealth']>[1],
  { subscriptions, now, nextUuid }: ResumeDeps,
): Promise<Subscription> {
  return subscriptions.writeHealth(subscription, change, { now: now(), nextUuid });
}
