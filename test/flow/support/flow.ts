import { afterAll, beforeAll, expect, inject } from 'vitest';
import { composePlatform, type Platform } from '../../../shared/runtime/platform.ts';
import { readConfig } from '../../../shared/runtime/runtime.ts';
import { makeDemoWorld } from '../../../tools/admin/demo/world.ts';
import { operatorEnvironment } from '../../../tools/local/start/scripts.ts';
import type { FlowDemo, FlowMember } from '../../support/flow-demo.ts';
import { type Inside, insideAt } from '../../support/flow-inside.ts';
import type { FlowPlatform } from '../../support/flow-platform.ts';

/** The platform and world of one flow test file. */
export interface Flow extends FlowPlatform {
  readonly demo: FlowDemo;
  /** The member with a linked account and points. */
  readonly member: FlowMember;
  /** The table, for reads and provisioning. Throws when the table cannot be reached. */
  readonly platform: Platform;
  /** Fault injection and direct invocations. Throws when another process started the platform. */
  readonly inside: Inside;
}

const given = inject('flow');

/** What a test cannot do, for `it.skipIf`: when HOSTS is set, parts of the platform may be out of reach. */
export const cannot = {
  lookInside: given.insideUrl === undefined,
  reachTable: given.aws === undefined,
  /** A deployed stage cannot send webhooks to this machine. */
  receiveWebhooks: !Object.values(given.hosts).every((host) => new URL(host).hostname === '127.0.0.1'),
};

/**
 * Opens the platform. If tests can reach the table, creates a world for this test file alone; otherwise uses the world
 * that HOSTS names. A platform that ran before the tests also has the showcase world, whose campaigns do not affect
 * other worlds.
 */
export function useFlow(make: (platform: Platform) => Promise<FlowDemo> = (platform) => makeDemoWorld(platform)): Flow {
  const flow = { ...given } as Partial<Flow> as { -readonly [Name in keyof Flow]: Flow[Name] };
  beforeAll(async () => {
    if (given.aws) flow.platform = openPlatform(given.aws);
    if (given.insideUrl) flow.inside = insideAt(given.insideUrl);
    await flow.inside?.clearCalls();
    const demo = flow.platform ? await make(flow.platform) : given.demo;
    const [member] = demo?.members ?? [];
    if (!demo || !member) throw new Error('HOSTS names neither a table nor organisations and members for the tests');
    Object.assign(flow, { demo, member });
  });
  afterAll(async () => {
    if (!flow.inside) return;
    await flow.inside.clearFaults();
    const calls = await flow.inside.calls();
    // The declared roles must allow every call: no call may fail for a missing permission.
    expect(calls.filter(({ error }) => error === 'AccessDeniedException')).toEqual([]);
  });
  return flow;
}

function openPlatform(aws: NonNullable<FlowPlatform['aws']>): Platform {
  Object.assign(process.env, operatorEnvironment(aws), given.operator);
  return composePlatform(readConfig(process.env));
}
