import { type Stack, Tags } from 'aws-cdk-lib';
import type { StageSettings } from '../stages.ts';

/** The tag by which AWS sums up the costs of a stage. */
export const stageTag = 'stage';

/**
 * Tags every resource of a stack that can have tags. The three tags are for cost allocation by stage, by service and by
 * part.
 *
 * @param part the stack's name without the stage, such as `data`
 */
export function tagResources(stack: Stack, part: string, stage?: StageSettings): void {
  const tags = { service: 'rewards-platform', part, ...(stage && { [stageTag]: stage.name }) };
  for (const [name, value] of Object.entries(tags)) Tags.of(stack).add(name, value);
}
