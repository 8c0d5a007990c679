import { afterAll, beforeAll, expect, inject } from 'vitest';
import { readConfig } from '../../../shared/runtime/config.ts';
import { composePlatform, type Platform } from '../../../shared/runtime/platform.ts';
import { makeDemoWorld } from '../../../tools/admin/demo/world.ts';
import { operatorEnvironment } from '../../../tools/local/start/scripts.ts';
import type { FlowDemo, FlowMember } from '../../support/flow-demo.ts';
import { type Inside, insideAt } from '../../support/flow-inside.ts';
import type { FlowPlatform } from '../../support/flow-platform.ts';

/** Where a file of flow tests plays. */
export interface Flow extends FlowPlatform {
  readonly demo: FlowDemo;
  /** The member that is linked to the partner and has points. */
  readonly member: FlowMember;
  /** The table, to look at and to provision: throws where it cannot be reached. */
  readonly platform: Platform;
  /** Faults and invocations: throws where the runner is not this run's own. */
  readonly inside: Inside;
}

const given = inject('flow');

/** Why a check is left out, for `it.skipIf`: with HOSTS, not everything can be reached. */
export const cannot = {
  lookInside: given.insideUrl === undefined,
  reachTable: given.aws === undefined,
  /** A deployed stage sends no webhook to this machine. */
  receiveWebhooks: !Object.values(given.hosts).every((host) => new URL(host).hostname === '127.0.0.1'),
};

/**
 * The platform, with a world of this file's own wherever one can be made. What runs already has the
 * showcase; its campaigns are not in the way of others.
 */
export function useFlow(make: (platform: Platform) => Promise<FlowDemo> = makeDemoWorld): Flow {
  const flow = { ...given } as Partial<Flow> as { -readonly [Name in keyof Flow]: Flow[Name] };
  beforeAll(async () => {
    if (given.aws) flow.platform = openPlatform(given.aws);
    if (given.insideUrl) flow.inside = insideAt(given.insideUrl);
    await flow.inside?.clearCalls();
    const demo = flow.platform ? await make(flow.platform) : given.demo;
    const [member] = demo?.members ?? [];
    if (!demo || !member) throw new Error('HOSTS names neither a table nor the organisations and members to play with');
    Object.assign(flow, { demo, member });
  });
  afterAll(async () => {
    if (!flow.inside) return;
    await flow.inside.clearFaults();
    const calls = await flow.inside.calls();
    // Least privilege, the other way round: nothing that was needed is refused.
    expect(calls.filter(({ error }) => error === 'AccessDeniedException')).toEqual([]);
  });
  return flow;
}

function openPlatform(aws: NonNullable<FlowPlatform['aws']>): Platform {
  Object.assign(process.env, operatorEnvironment(aws));
  return composePlatform(readConfig(process.env));
}
