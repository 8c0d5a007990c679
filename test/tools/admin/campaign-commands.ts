import { beforeAll, expect } from 'vitest';
import { outboxEvents } from '../../support/outbox.ts';
import { makeWorld, type World } from '../../support/world.ts';
import { commandLineOf, type Ran, temporaryFile } from './command-line.ts';

/** The campaign commands of the operator, in the demonstration's world. */

export let world: World;
export let admin: ReturnType<typeof commandLineOf>;
/** Creates a world for a test file. */
export function useCampaigns(): void {
  beforeAll(async () => {
    world = await makeWorld();
    admin = commandLineOf(world.table);
  });
}

export const partnership = 'Corner Coffee × Skyline Miles';
export const merchant = ['--as', 'Corner Coffee'] as const;
export const partner = ['--as', 'Skyline Miles'] as const;
export const award = { kind: 'AWARD_POINTS', pointsPerDollarBp: 20_000 };
export const earn = { name: 'Spring', type: 'EARN', flows: [{ trigger: { type: 'SPEND' }, actions: [award] }] };
export const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();

export const file = (content: unknown) => temporaryFile('campaign.json', content);
export const campaign = (...args: (string | number)[]) => admin.script('campaign', ...args.map(String));
export const done = ({ status, err, json }: Ran) => {
  expect(err).toBe('');
  expect(status).toBe(0);
  return json;
};
/** Returns the reason of a refused command. */
export const refusal = ({ status, err }: Ran) => {
  expect(status).toBe(1);
  return err.trim();
};

export const signupBonus = { kind: 'AWARD_POINTS', pointsPerEvent: 250 };
/** Returns the trigger of the demonstration. */
export async function signup() {
  const { json } = await admin.script('trigger', 'show', partnership, 'signup_completed');
  return json.trigger as { name: string; customTriggerId: number };
}

/** Creates a draft as one side, by default as the merchant. Returns the id of the campaign. */
export async function draft(content: object = earn, as: readonly string[] = merchant): Promise<number> {
  const { campaign: made } = done(await campaign('apply', file(content), ...as, '--partnership', partnership, '--new'));
  return made.id;
}

/** Approves a campaign as each of the two sides. */
export async function approveByBoth(id: number) {
  done(await campaign('approve', id, ...merchant));
  return done(await campaign('approve', id, ...partner)).campaign;
}

/** Creates a running campaign in which both organisations own an action. */
export async function shared(more: object = {}): Promise<number> {
  const id = await draft({ ...earn, ...more });
  const { document } = done(await campaign('show', id)).campaign.draft;
  const [flow] = document.flows;
  const both = {
    ...document,
    flows: [{ ...flow, actions: [...flow.actions, { ...award, pointsPerDollarBp: 5_000 }] }],
  };
  done(await campaign('apply', file(both), ...partner));
  await approveByBoth(id);
  return id;
}

export const eventsOf = async (id: number) =>
  (await outboxEvents(world))
    .filter(({ entityId, name }) => entityId === String(id) && name.startsWith('campaign_'))
    .map(({ name }) => name);
