import { describe, expect, it } from 'vitest';
import { valueAt } from '../../../dashboard/src/builder/pointer.ts';
import { type BuilderAction, reduce } from '../../../dashboard/src/builder/reducer.ts';
import { typeOf } from '../../../dashboard/src/builder/starting.ts';
import {
  type BuilderState,
  fileOf,
  openFile,
  steps,
  type TextFormat,
  withKeys,
} from '../../../dashboard/src/builder/state.ts';
import { documentOf } from '../../../shared/domain/campaign/document/campaign.ts';
import { isObject, type Json, placesOf } from '../../../shared/domain/campaign/document/tree.ts';
import { formOfPart, type PartFormContext, type PartSort } from '../../../shared/domain/campaign/forms/part-forms.ts';
import { digitsOf } from '../../../shared/domain/campaign/forms/quantities.ts';
import { campaigns } from '../../domain/campaign/arbitraries.ts';
import { campaignOf, sections } from '../../domain/campaign/case-file.ts';
import { settings } from '../../domain/fixtures.ts';
import { fc } from '../../support/fast-check.ts';
import { exampleFiles } from './example-files.ts';

/** Every file that a person may open: those of the repository, those of the cases that product owners read, and random ones. */
const files = fc.oneof(
  fc.constantFrom(...exampleFiles.map(({ file }) => file)),
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

interface WrittenPart {
  readonly sort: PartSort;
  readonly value: Json;
  readonly pointer: string;
  readonly context: PartFormContext;
}

/** Every part of a file that has a form, the triggers of its flows included. */
function partsOf(file: Json): WrittenPart[] {
  return placesOf(file).flatMap(({ value, pointer }): WrittenPart[] => {
    const flow = placesOf(file).find((place) => pointer.startsWith(`${place.pointer}/`));
    const context = { type: typeOf(file), trigger: flow?.value.trigger, settings: settings(), names: {} };
    const sort = sortOfList[pointer.split('/').at(-2) ?? ''];
    if (sort !== undefined) return [{ sort, value, pointer, context }];
    if (!isObject(value.trigger)) return [];
    return [{ sort: 'trigger', value: value.trigger, pointer: `${pointer}/trigger`, context }];
  });
}

/** Changes of a person, and how the person takes them back. */
interface ThereAndBack {
  readonly there: BuilderAction;
  readonly back: BuilderAction;
}

/** Every change of a single field that the forms of a file offer. */
function fieldChanges(file: Json): ThereAndBack[] {
  const set = (pointer: string, was: unknown, value: unknown): ThereAndBack => ({
    there: { kind: 'set', pointer, value },
    back: { kind: 'set', pointer, value: was },
  });
  const ofParts = partsOf(file).flatMap(({ sort, value, pointer, context }) =>
    (formOfPart(sort, value, context)?.fields ?? []).flatMap(({ name, input }): ThereAndBack[] => {
      const [at, was] = [`${pointer}/${name}`, value[name]];
      switch (input.kind) {
        case 'choice':
          return input.choices.map((choice) => set(at, was, choice.value));
        case 'chips':
          return [set(at, was, undefined), set(at, was, [...(Array.isArray(was) ? was : []), 'another'])];
        case 'switch':
          return [set(at, was, was !== true)];
        case 'text':
          return [set(at, was, 'another'), set(at, was, undefined)];
        default:
          return numberChanges(at, was, input.kind === 'number' ? 'number' : input.quantity);
      }
    }),
  );
  const own = ['/name', '/description', '/logo', '/startsAt', '/endsAt', '/type', '/flows/0/reevaluateOnRefund'];
  return [...ofParts, ...own.map((pointer) => set(pointer, valueAt(file, pointer), 'another'))];
}

function numberChanges(pointer: string, was: unknown, format: TextFormat): ThereAndBack[] {
  const written = format === 'number' ? String(was) : digitsOf(Number(was), format);
  const back = { kind: 'type', pointer, text: was === undefined ? '' : written, format } as const;
  return ['7', '0.57', 'about 7', ''].map((text) => ({ there: { ...back, text }, back }));
}

/** What happens when a person opens a part and enters again what it says. */
function enteringAgain(file: Json): BuilderAction[] {
  return partsOf(file).flatMap(({ sort, value, pointer, context }) => {
    const fields = formOfPart(sort, value, context)?.fields ?? [];
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

describe('the campaign files of the repository', () => {
  it.each(exampleFiles)('are the same after they were opened: $title', ({ file }) => {
    expect(JSON.stringify(fileOf(openFile(file)))).toBe(JSON.stringify(file));
  });

  it('are those of the guides and of the demonstration', () => {
    const titles = exampleFiles.map(({ title }) => title);
    expect(titles.filter((title) => title === 'docs/first-program.md')).toHaveLength(2);
    expect(titles).toContain('tools/admin/demo/welcome-template.json');
  });
});

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

  it('is the same after any one of its fields was changed, and changed back', () => {
    fc.assert(
      fc.property(files, (file) => {
        const opened = openFile(file);
        for (const { there, back } of fieldChanges(file)) {
          const again = run(opened, [there, back]);
          expect(fileOf(again)).toEqual(file);
          expect([again.texts, again.keys]).toEqual([{}, opened.keys]);
        }
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
