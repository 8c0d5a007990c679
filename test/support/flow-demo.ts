import type { makeDemoWorld } from '../../tools/admin/demo/world.ts';

/** The organisations, campaigns and members that a flow plays with. */
export type FlowDemo = Awaited<ReturnType<typeof makeDemoWorld>>;
export type FlowOrganisation = FlowDemo['merchant'];
export type FlowMember = FlowDemo['members'][number];
