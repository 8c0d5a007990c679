import { describe, expect, it } from 'vitest';
import { newField, readEvent, type TypedEvent, type TypedField } from '../../../dashboard/src/builder/new-event.ts';

const field = (more: Partial<TypedField>): TypedField => ({ ...newField(1), name: 'fare', ...more });
const event = (fields: readonly TypedField[], more: Partial<TypedEvent> = {}): TypedEvent => ({
  ...{ event: 'CUSTOM', name: 'ride_completed', description: '', friendField: '', fields, allowsOtherFields: false },
  ...more,
});
const faultsOf = (typed: TypedEvent) => {
  const read = readEvent(typed);
  return 'faults' in read ? Object.fromEntries(read.faults) : {};
};

describe('readEvent()', () => {
  it('returns the file of the trigger', () => {
    const fields = [
      field({ type: 'number', isRequired: true, minimum: '0.5', maximum: '1,000' }),
      field({ key: 2, name: ' city ', maximum: '50' }),
      field({ key: 3, name: 'at', type: 'datetime', maximum: 'left from another type' }),
    ];
    expect(readEvent(event(fields, { description: ' A ride ended. ' }))).toEqual({
      file: {
        ...{ name: 'ride_completed', description: 'A ride ended.', event: 'CUSTOM', isActive: true },
        contextSchema: {
          fields: {
            fare: { type: 'number', isRequired: true, minimum: 0.5, maximum: 1_000 },
            city: { type: 'string', isRequired: false, maximumLength: 50 },
            at: { type: 'datetime', isRequired: false },
          },
          allowsOtherFields: false,
        },
      },
    });
  });

  it.each([
    ['', 'must not be empty'],
    ['../ride', 'has to be letters, digits, spaces, dots, hyphens and underscores, such as signup_completed'],
    ['ride\nended', 'has to be letters, digits, spaces, dots, hyphens and underscores, such as signup_completed'],
    ['x'.repeat(256), 'has to have at most 255 characters'],
  ])('finds the fault of the name %j', (name, message) => {
    expect(faultsOf(event([], { name }))).toEqual({ name: message });
  });

  it.each([
    ['without a name', [field({ name: ' ' })], { 'fields/0/name': 'must not be empty' }],
    [
      'with the name of another one',
      [field({}), field({ key: 2 })],
      { 'fields/1/name': 'has to differ from the other fields' },
    ],
    ['with an inherited name', [field({ name: '__proto__' })], { 'fields/0/name': 'has to be another word' }],
    [
      'whose bound is no number',
      [field({ type: 'integer', minimum: '1e3' })],
      { 'fields/0/minimum': 'has to be a number' },
    ],
    [
      'whose bounds are crossed',
      [field({ type: 'number', minimum: '5', maximum: '1' })],
      { 'fields/0/maximum': 'must not be below the minimum' },
    ],
    ['that is too long', [field({ maximum: '5000' })], { 'fields/0/maximum': 'has to be at most 4000' }],
  ] as const)('finds a field %s', (_, fields, faults) => {
    expect(faultsOf(event(fields))).toEqual(faults);
  });

  it('names the friend of a referral by a text only', () => {
    const referral = { event: 'REFERRAL', friendField: 'fare' } as const;
    expect(faultsOf(event([field({})], referral))).toEqual({});
    expect(faultsOf(event([field({ type: 'number' })], referral))).toEqual({
      friendField: 'the context needs the field fare of the type string',
    });
  });

  it('has at most fifty fields', () => {
    const fields = Array.from({ length: 51 }, (_, key) => field({ key, name: `field ${key}` }));
    expect(faultsOf(event(fields))).toEqual({ fields: 'has to have at most 50 fields' });
  });
});
