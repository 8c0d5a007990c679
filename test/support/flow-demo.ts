import type { makeDemoWorld } from '../../tools/admin/demo/world.ts';

/** The organisations, campaigns and members of a flow test. */
export type FlowDemo = Awaited<ReturnType<typeof makeDemoWorld>>;
export type FlowOrganisation = FlowDemo['merchant'];
export type FlowMember = FlowDemo['members'][number];
