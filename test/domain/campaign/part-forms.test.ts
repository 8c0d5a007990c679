import { describe, expect, it } from 'vitest';
import { documentOf } from '../../../shared/domain/campaign/document/campaign.ts';
import {
  actionKinds,
  conditionKinds,
  goalKinds,
  limitKinds,
  multiplierKinds,
  triggerKinds,
} from '../../../shared/domain/campaign/document/kinds/registry.ts';
import { isObject, placesOf } from '../../../shared/domain/campaign/document/tree.ts';
import {
  type FormField,
  formOfPart,
  kindChoices,
  kindFieldOf,
  newPart,
  type PartFormContext,
  type PartSort,
} from '../../../shared/domain/campaign/forms/part-forms.ts';
import { readQuantity, writeQuantity } from '../../../shared/domain/campaign/forms/quantities.ts';
import { fc } from '../../support/fast-check.ts';
import { settings } from '../fixtures.ts';
import { campaigns } from './arbitraries.ts';

const names = { organisation: (id: number) => (id === 2 ? 'Skyline Miles' : undefined) };
const context: PartFormContext = { type: 'EARN', trigger: { type: 'SPEND' }, settings: settings(), names };

const sorts = [
  { sort: 'trigger', kinds: triggerKinds },
  { sort: 'actions', kinds: actionKinds },
  { sort: 'conditions', kinds: conditionKinds },
  { sort: 'multipliers', kinds: multiplierKinds },
  { sort: 'limits', kinds: limitKinds },
] as const;
const kinds = sorts.flatMap(({ sort, kinds: all }) => all.map((kind) => ({ sort, name: kind.name, kind })));

describe('the form of every kind', () => {
  it.each(kinds)('has a field for every field of the schema, and no other ($sort $name)', ({ kind, sort }) => {
    const own = Object.keys(kind.schema.shape).filter((name) => !['id', 'ownerId', kindFieldOf(sort)].includes(name));
    expect(new Set(Object.keys(kind.form.fields))).toEqual(new Set(own));
  });

  it.each(kinds)('is shown for a new part, and has words for each choice ($sort $name)', ({ sort, name }) => {
    const form = formOfPart(sort, newPart(sort, name), context);
    expect(form).toMatchObject({
      kind: name,
      label: expect.stringMatching(/^[A-Z]/),
      help: expect.stringMatching(/\.$/),
    });
    for (const { input } of form?.fields ?? []) {
      if (input.kind === 'choice') for (const { label } of input.choices) expect(label).not.toMatch(/^[A-Z_]{3,}$/);
    }
  });

  it('has the target of a goal', () => {
    for (const { name } of goalKinds) {
      expect(formOfPart('goals', { type: name }, context)?.fields).toMatchObject([
        { name: 'target', input: { kind: 'quantity', minimum: 1 } },
      ]);
    }
  });
});

/** Whether a person can enter a value in a field. */
function canEnter({ input, isOptional }: FormField, value: unknown): boolean {
  if (value === undefined) return isOptional;
  switch (input.kind) {
    case 'choice':
      return input.choices.some((choice) => choice.value === value);
    case 'chips':
      return (
        Array.isArray(value) &&
        value.every((one) => input.isOpen || input.choices.some((choice) => choice.value === one))
      );
    case 'quantity': {
      const read = readQuantity(writeQuantity(Number(value), input.quantity), input.quantity);
      return 'value' in read && read.value === value && read.value >= input.minimum && read.value <= input.maximum;
    }
    case 'number':
      return typeof value === 'number';
    case 'text':
      return typeof value === 'string' && value.length <= input.maximum;
    case 'switch':
      return typeof value === 'boolean';
  }
}

const sortOfList: Readonly<Record<string, PartSort>> = {
  actions: 'actions',
  conditions: 'conditions',
  multipliers: 'multipliers',
  limits: 'limits',
  goals: 'goals',
};

it('a form can express every value of every valid part', () => {
  fc.assert(
    fc.property(campaigns, (campaign) => {
      for (const { value, pointer } of placesOf(documentOf(campaign))) {
        const list = pointer.split('/').at(-2) ?? '';
        const flow = campaign.flows[Number(pointer.split('/')[2])];
        const sort = sortOfList[list];
        if (!sort) continue;
        const form = formOfPart(sort, value, { ...context, type: campaign.type, trigger: flow?.trigger });
        const written = Object.keys(value).filter((name) => !['id', 'ownerId', kindFieldOf(sort)].includes(name));
        for (const name of written) {
          const field = form?.fields.find((one) => one.name === name);
          expect({ name, canEnter: field !== undefined && canEnter(field, value[name]) }).toEqual({
            name,
            canEnter: true,
          });
        }
      }
    }),
  );
});

describe('kindChoices()', () => {
  it('leaves out kinds of other campaign types', () => {
    expect(kindChoices('actions', { ...context, type: 'REDEEM' }).map(({ kind }) => kind)).toEqual([
      'REDEEM_POINTS',
      'AWARD_CASHBACK',
    ]);
    expect(kindChoices('trigger', { ...context, type: 'CONNECT_ONLY' }).map(({ kind }) => kind)).toEqual([
      'REGISTRATION',
    ]);
  });

  it('says why a kind has no effect in a flow', () => {
    const registration = { ...context, trigger: { type: 'REGISTRATION' } };
    const reasons = kindChoices('conditions', registration).filter(({ reason }) => reason !== undefined);
    expect(reasons.map(({ kind }) => kind)).toEqual(['BASKET_SIZE', 'ITEM', 'CONTAINS_ITEM']);
    expect(reasons[0]?.reason).toBe('Nothing is bought at REGISTRATION: a basket size can never hold');

    const without = { ...context, settings: settings({ allowsCashback: false }) };
    expect(kindChoices('actions', without)).toMatchObject([
      { kind: 'AWARD_POINTS', reason: undefined },
      { kind: 'AWARD_CASHBACK', reason: 'The partnership does not allow cashback: enable it there first' },
    ]);
  });
});

describe('formOfPart()', () => {
  it('shows the rate that counts, and a rate that is written although it does not count', () => {
    const fieldsOf = (part: object, trigger: object) =>
      formOfPart('actions', { kind: 'AWARD_POINTS', ...part }, { ...context, trigger })?.fields.map(({ name }) => name);

    expect(fieldsOf({}, { type: 'SPEND' })).toEqual(['pointsPerDollarBp']);
    expect(fieldsOf({}, { type: 'REGISTRATION' })).toEqual(['pointsPerEvent']);
    expect(fieldsOf({ pointsPerEvent: 5 }, { type: 'SPEND' })).toEqual(['pointsPerDollarBp', 'pointsPerEvent']);
  });

  it('offers tiers, programs, triggers and values by their names', () => {
    const inputOf = (sort: PartSort, part: object, name: string) => {
      const field = formOfPart(sort, { ...part }, context)?.fields.find((one) => one.name === name);
      return field?.input;
    };

    expect(inputOf('multipliers', { attribute: 'CUSTOMER_STATUS' }, 'statusTierIds')).toMatchObject({
      kind: 'chips',
      of: 'number',
      choices: expect.arrayContaining([{ value: 2, label: 'Tier 2' }]),
    });
    expect(inputOf('actions', { kind: 'TRANSFER_POINTS' }, 'fromPartnerId')).toMatchObject({
      choices: [
        { value: 2, label: 'Skyline Miles' },
        { value: 3, label: 'organisation 3' },
      ],
    });
    expect(inputOf('trigger', { type: 'CUSTOM', customTriggerId: 7 }, 'amountField')).toMatchObject({
      choices: [{ value: 'fare', label: 'fare' }],
    });
    expect(inputOf('conditions', { attribute: 'GEOGRAPHY' }, 'values')).toMatchObject({
      isOpen: true,
      choices: expect.arrayContaining([
        { value: 'CA', label: 'Canada (CA)' },
        { value: 'US', label: 'United States (US)' },
      ]),
    });
  });

  it('writes the amount of a limit in the unit of the limit', () => {
    const quantityOf = (unit: string) => {
      const form = formOfPart('limits', { kind: 'TRANSACTION', unit }, context);
      const input = form?.fields.find(({ name }) => name === 'amount')?.input;
      return input?.kind === 'quantity' && input.quantity;
    };
    expect([quantityOf('DOLLARS'), quantityOf('POINTS')]).toEqual(['money', 'points']);
  });

  it('has no form for a part of an unknown kind', () => {
    expect(formOfPart('conditions', { attribute: 'MOON' }, context)).toBeUndefined();
    expect(isObject(newPart('limits', 'USER'))).toBe(true);
  });
});
