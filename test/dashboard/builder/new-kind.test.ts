import { describe, expect, it, vi } from 'vitest';
import { fileToSend } from '../../../dashboard/src/builder/file-to-send.ts';
import { labelOf } from '../../../dashboard/src/builder/labels.ts';
import { valueAt } from '../../../dashboard/src/builder/pointer.ts';
import { reduce } from '../../../dashboard/src/builder/reducer.ts';
import { openFile } from '../../../dashboard/src/builder/state.ts';
import { tryNeedsOf } from '../../../dashboard/src/builder/try-inputs.ts';
import { campaignFaults } from '../../../shared/domain/campaign/authoring/read-document.ts';
import { textOf } from '../../../shared/domain/campaign/document/kinds/phrase.ts';
import {
  formOfPart,
  kindChoices,
  newPart,
  type PartFormContext,
} from '../../../shared/domain/campaign/forms/part-forms.ts';
import { flowSentence } from '../../../shared/domain/campaign/words/flow-sentence.ts';
import { noon, settings } from '../../domain/fixtures.ts';

/** A new kind of part needs its own object and a line in kinds/registry.ts, which this mock adds. */
vi.mock(import('../../../shared/domain/campaign/document/kinds/registry.ts'), async (importOriginal) => {
  const registry = await importOriginal();
  const { cupPrice } = await import('../../domain/campaign/cup-price.ts');
  const { stamp, fullMoon, perTable } = await import('./new-kinds.ts');
  return {
    ...registry,
    conditionKinds: [...registry.conditionKinds, cupPrice],
    actionKinds: [...registry.actionKinds, stamp],
    multiplierKinds: [...registry.multiplierKinds, fullMoon],
    limitKinds: [...registry.limitKinds, perTable],
  } as unknown as typeof registry;
});

const context: PartFormContext = { type: 'EARN', trigger: { type: 'SPEND' }, settings: settings(), names: {} };
const list = '/flows/0/conditionGroups/0/conditions';
const flow = {
  trigger: { type: 'SPEND' },
  actions: [{ kind: 'AWARD_POINTS', pointsPerDollarBp: 20_000 }],
  conditionGroups: [{ conditions: [] }],
};

/** What the builder has after a person added the condition and typed a price. */
function build(price: string) {
  const opened = openFile({ type: 'EARN', name: 'Dear cups', flows: [flow] });
  const added = reduce(opened, { kind: 'add', list, element: newPart('conditions', 'CUP_PRICE') });
  return reduce(added, { kind: 'type', pointer: `${list}/0/priceCents`, text: price, format: 'money' });
}

describe('a new kind of condition in the builder', () => {
  it('can be chosen', () => {
    expect(kindChoices('conditions', context)).toContainEqual({
      kind: 'CUP_PRICE',
      label: 'Price of a cup',
      help: 'Compares the average price of the cups in a purchase.',
      reason: undefined,
    });
  });

  it('has a form', () => {
    expect(formOfPart('conditions', { attribute: 'CUP_PRICE' }, context)?.fields).toMatchObject([
      { name: 'operator', input: { kind: 'choice', choices: [{ label: 'more than' }, { label: 'less than' }] } },
      { name: 'priceCents', label: 'Price', input: { kind: 'quantity', quantity: 'money', minimum: 0 } },
    ]);
  });

  it('is part of the sentence of its flow', () => {
    const { document } = build('$4.50');
    const [written] = document.flows as [typeof flow];
    const names = { organisation: () => 'Skyline Miles' };
    expect(textOf(flowSentence(written, '/flows/0', { type: 'EARN', merchantId: 1, partnerId: 2, names }))).toBe(
      'When a member spends, Skyline Miles gives 2 points per $1, if a cup costs more than $4.50.',
    );
  });

  it('has its own faults', () => {
    const faultsOf = (price: string) =>
      campaignFaults(build(price).document, { organisationId: 1, now: noon, settings: settings(), before: null });
    expect(faultsOf('4.50')).toEqual([]);
    expect(faultsOf('100.01')).toMatchObject([{ pointer: `${list}/0/priceCents`, code: 'dear_cup' }]);
    expect(faultsOf('')).toMatchObject([{ pointer: `${list}/0/priceCents`, code: 'required' }]);
  });
});

it('a new kind of condition says which fact is asked when the draft is tried', () => {
  expect(tryNeedsOf(build('4.50').document)).toMatchObject({ hasPlace: true, hasTier: false });
});

describe.each([
  { sort: 'actions', name: 'STAMP', field: 'stamps', quantity: 'count', words: 'Stamps a card' },
  { sort: 'multipliers', name: 'FULL_MOON', field: 'nights', quantity: 'days', words: 'Full moon' },
  { sort: 'limits', name: 'TABLE', field: 'guests', quantity: 'count', words: 'Each table' },
] as const)('a new kind of $sort in the builder', ({ sort, name, field, quantity, words }) => {
  const parts = `/flows/0/${sort}`;
  const typed = reduce(
    reduce(openFile({ type: 'EARN', name: 'New', flows: [{ ...flow, conditionGroups: [], [sort]: [] }] }), {
      ...{ kind: 'add', list: parts, element: newPart(sort, name) },
    }),
    { kind: 'type', pointer: `${parts}/0/${field}`, text: '3', format: quantity },
  );

  it('can be chosen, and has a form', () => {
    expect(kindChoices(sort, context)).toContainEqual(expect.objectContaining({ kind: name, label: words }));
    const part = newPart(sort, name);
    expect(formOfPart(sort, part, context)?.fields).toContainEqual(
      expect.objectContaining({ name: field, input: expect.objectContaining({ kind: 'quantity', quantity }) }),
    );
  });

  it('is filled in, is sent to the server, and its fields have words in faults', () => {
    expect(valueAt(typed.document, `${parts}/0/${field}`)).toBe(3);
    expect(fileToSend(typed, {})).toMatchObject({ document: typed.document, isPartial: false });
    expect(labelOf(typed.document, `${parts}/0`)).toBe(words);
  });
});
