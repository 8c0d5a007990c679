import { describe, expect, it } from 'vitest';
import { type BuilderAction, reduce } from '../../../dashboard/src/builder/reducer.ts';
import { type BuilderState, fileOf, openFile, steps, withKeys } from '../../../dashboard/src/builder/state.ts';
import { documentOf } from '../../../shared/domain/campaign/document/campaign.ts';
import { type Json, placesOf } from '../../../shared/domain/campaign/document/tree.ts';
import { formOfPart, type PartSort } from '../../../shared/domain/campaign/forms/part-forms.ts';
import { digitsOf } from '../../../shared/domain/campaign/forms/quantities.ts';
import { campaigns } from '../../domain/campaign/arbitraries.ts';
import { campaignOf, sections } from '../../domain/campaign/case-file.ts';
import { settings } from '../../domain/fixtures.ts';
import { fc } from '../../support/fast-check.ts';

/** Every file that a person may open: those of the cases that product owners read, and random ones. */
const files = fc.oneof(
  campaigns.map((campaign): Json => JSON.parse(JSON.stringify(documentOf(campaign)))),
  fc
    .constantFrom(...sections.flatMap(({ cases }) => cases))
    .map((one): Json => JSON.parse(JSON.stringify(documentOf(campaignOf(one))))),
);

const run = (state: BuilderState, actions: readonly BuilderAction[]) => actions.reduce(reduce, state);

const sortOfList: Readonly<Record<string, PartSort>> = {
  actions: 'actions',
  conditions: 'conditions',
  multipliers: 'multipliers',
  limits: 'limits',
  goals: 'goals',
};

/** What happens when a person opens a part and enters again what it says. */
function enteringAgain(file: Json): BuilderAction[] {
  return placesOf(file).flatMap(({ value, pointer }) => {
    const sort = sortOfList[pointer.split('/').at(-2) ?? ''];
    const flow = pointer.startsWith('/flows/')
      ? placesOf(file).find((place) => pointer.startsWith(`${place.pointer}/`))
      : undefined;
    const context = { type: 'EARN', trigger: flow?.value.trigger, settings: settings(), names: {} } as const;
    const fields = sort === undefined ? [] : (formOfPart(sort, value, context)?.fields ?? []);
    return fields.flatMap(({ name, input }): BuilderAction[] => {
      const [at, written] = [`${pointer}/${name}`, value[name]];
      if (written === undefined) return [{ kind: 'set', pointer: at, value: undefined }];
      if (input.kind !== 'quantity') return [{ kind: 'set', pointer: at, value: written }];
      const text = digitsOf(Number(written), input.quantity);
      return [
        { kind: 'type', pointer: at, text: `${text}x`, format: input.quantity },
        { kind: 'type', pointer: at, text, format: input.quantity },
      ];
    });
  });
}

describe('any campaign file', () => {
  it('is the same after it was opened', () => {
    fc.assert(
      fc.property(files, (file) => {
        const opened = run(
          openFile(file),
          steps.map((step) => ({ kind: 'open_step', step })),
        );
        expect(JSON.stringify(fileOf(opened))).toBe(JSON.stringify(file));
      }),
    );
  });

  it('is the same after every part was opened, changed and entered again', () => {
    fc.assert(
      fc.property(files, (file) => {
        const again = run(openFile(file), enteringAgain(file));
        expect(fileOf(again)).toEqual(file);
        expect(again.texts).toEqual({});
      }),
    );
  });

  it('is the same after parts were added and removed, and moved there and back', () => {
    fc.assert(
      fc.property(files, fc.nat(), fc.nat(), (file, from, to) => {
        const lists = placesOf(file).map(({ pointer }) => pointer.slice(0, pointer.lastIndexOf('/')));
        for (const list of new Set(lists)) {
          const count = lists.filter((one) => one === list).length;
          const [start, end] = [from % count, to % count];
          const moved = run(openFile(file), [
            { kind: 'add', list, element: { id: 999 } },
            { kind: 'remove', pointer: `${list}/${count}` },
            { kind: 'move', pointer: `${list}/${start}`, to: end },
            { kind: 'move', pointer: `${list}/${end}`, to: start },
          ]);
          expect(fileOf(moved)).toEqual(file);
          expect(moved.keys).toEqual(openFile(file).keys);
        }
      }),
    );
  });

  it('is the same after its work was kept and continued', () => {
    fc.assert(
      fc.property(files, (file) => {
        const state = reduce(openFile(file), {
          kind: 'type',
          pointer: '/flows/0/limits/0/amount',
          text: '1.',
          format: 'points',
        });
        expect(withKeys(JSON.parse(JSON.stringify(state)))).toEqual(state);
      }),
    );
  });
});
