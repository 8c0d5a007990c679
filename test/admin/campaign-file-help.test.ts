import { expect, it } from 'vitest';
import * as z from 'zod/mini';
import { campaignFileHelp } from '../../admin/commands/campaign-file-help.ts';
import { Action, actionKinds } from '../../shared/domain/campaign/action.ts';
import { Condition } from '../../shared/domain/campaign/conditions/registry.ts';
import { Goal, Limit } from '../../shared/domain/campaign/limit.ts';
import { Multiplier } from '../../shared/domain/campaign/multiplier.ts';

/** What stands on a line of the help as JSON, without the words behind it; triggers are tested where files are. */
const shown = campaignFileHelp
  .split('\n')
  .flatMap((line) => /^ {2}(\{ .*\})(?: {3}.*)?$/.exec(line)?.[1] ?? [])
  .map((json): Record<string, unknown> => JSON.parse(json))
  .filter((one) => !['SPEND', 'REGISTRATION', 'REFERRAL', 'CUSTOM'].includes(String(one.type)));

const Part = z.union([Action, Condition, Multiplier, Limit, Goal]);

it.each(shown.map((one) => [JSON.stringify(one), one]))('a campaign file may have %s', (_, one) => {
  expect(Part.safeParse({ id: 1, ownerId: 2, ...one }).error).toBeUndefined();
});

it('every kind of part is shown', () => {
  const valuesOf = (field: string) => new Set(shown.map((one) => one[field]));
  const attributes = [...Condition.def.options, ...Multiplier.def.options].map(
    ({ shape }) => shape.attribute.def.values[0],
  );

  expect([...valuesOf('kind')]).toEqual(expect.arrayContaining([...actionKinds, 'TRANSACTION', 'USER']));
  expect([...valuesOf('attribute')].filter(Boolean).toSorted()).toEqual(attributes.toSorted());
  for (const name of Object.values(Goal.shape.type.def.entries)) expect(campaignFileHelp).toContain(name);
});
