import { describe, expect, it } from 'vitest';
import type { Member } from '../../shared/domain/member/member.ts';
import { ContextSchema, contextFaults } from '../../shared/domain/trigger/trigger.ts';
import { identifyUser } from '../../shared/domain/trigger/trigger-event.ts';

/**
 * The start of every message. A message is the rest of a sentence about a field, and never the text of the validator.
 */
const ownWords = /^(has to|is|must) /;

const schema = ContextSchema.parse({
  fields: {
    plan: { type: 'string', isRequired: true, maximumLength: 5 },
    price: { type: 'number', minimum: 0.5, maximum: 10 },
    seats: { type: 'integer', minimum: 1 },
    trial: { type: 'boolean' },
    at: { type: 'datetime' },
  },
});

describe('contextFaults()', () => {
  it.each([
    { plan: 'basic' },
    { plan: '' },
    { plan: 'basic', price: 0.5, seats: 1, trial: false, at: '2026-11-21T10:00:00+01:00' },
    { plan: 'basic', price: 10, at: '2026-11-21T10:00:00.123Z' },
  ])('returns no fault for the context %j', (context) => {
    expect(contextFaults(schema, context)).toEqual([]);
  });

  it.each([
    [{}, 'plan', 'required'],
    [{ plan: null }, 'plan', 'invalid_type'],
    [{ plan: 7 }, 'plan', 'invalid_type'],
    [{ plan: 'premium' }, 'plan', 'too_big'],
    [{ plan: 'basic', price: '1' }, 'price', 'invalid_type'],
    [{ plan: 'basic', price: 0.49 }, 'price', 'too_small'],
    [{ plan: 'basic', price: 10.01 }, 'price', 'too_big'],
    [{ plan: 'basic', seats: 1.5 }, 'seats', 'invalid_type'],
    [{ plan: 'basic', seats: 0 }, 'seats', 'too_small'],
    [{ plan: 'basic', seats: 2 ** 53 }, 'seats', 'too_big'],
    [{ plan: 'basic', trial: 1 }, 'trial', 'invalid_type'],
    [{ plan: 'basic', at: '2026-11-21' }, 'at', 'invalid_format'],
    [{ plan: 'basic', at: '2026-11-21T10:00:00' }, 'at', 'invalid_format'],
    [{ plan: 'basic', at: 1_700_000_000 }, 'at', 'invalid_type'],
    [{ plan: 'basic', coupon: 'X' }, 'coupon', 'unrecognized_key'],
    [{ plan: 'basic', constructor: 'X' }, 'constructor', 'unrecognized_key'],
  ])('returns one fault for the context %j: %s', (context, field, code) => {
    expect(contextFaults(schema, context)).toEqual([{ field, code, message: expect.stringMatching(ownWords) }]);
  });

  it('returns all faults at once', () => {
    const faults = contextFaults(schema, { price: -1, seats: 'two', coupon: 'X' });
    expect(faults.map(({ field }) => field)).toEqual(['plan', 'price', 'seats', 'coupon']);
  });

  it('accepts a field outside the schema when other fields are allowed', () => {
    const open = { ...schema, allowsOtherFields: true };
    expect(contextFaults(open, { plan: 'basic', coupon: { nested: [1] } })).toEqual([]);
  });

  it('accepts field names that are inherited properties of every object', () => {
    const odd = ContextSchema.parse({ fields: { toString: { type: 'string', isRequired: true } } });
    expect(contextFaults(odd, {})).toMatchObject([{ field: 'toString', code: 'required' }]);
    expect(contextFaults(odd, { toString: 'x' })).toEqual([]);
  });
});

describe('identifyUser()', () => {
  const sides = { merchantId: 1, partnerId: 2 };
  const memberOf = (merchantIds: number[], partnerIds: number[]) =>
    ({
      user: { id: 70, uuid: 'known' },
      associations: merchantIds.map((merchantId) => ({ merchantId })),
      memberships: partnerIds.map((partnerId) => ({ partnerId })),
    }) as unknown as Member;
  const customer = memberOf([1], []);
  const stranger = memberOf([8], [9]);

  it.each([
    ['a request without any identification', null, undefined, undefined, 'unknown'],
    ['a known external id', null, undefined, 70, 70],
    ['a UUID of a customer', 'known', customer, undefined, 70],
    ['a UUID of a member of the program', 'known', memberOf([], [2]), undefined, 70],
    ['an unknown UUID', 'unknown', undefined, undefined, 'unknown'],
    ['the UUID of a stranger', 'known', stranger, undefined, 'unknown'],
    ['another UUID with the same integer id', 'twin', customer, undefined, 'unknown'],
    ['a UUID and an external id of one user', 'known', customer, 70, 70],
    ['a known UUID with an unknown external id', 'known', customer, undefined, 70],
    ['a UUID and an external id of two users', 'known', customer, 71, 'contradiction'],
    ['the UUID of a stranger with a known external id', 'known', stranger, 71, 'unknown'],
    ['an unknown UUID with a known external id', 'unknown', undefined, 71, 'unknown'],
  ])('returns $4 for $0', (_, userUuid, member, userIdByExternalId, expected) => {
    expect(identifyUser({ userUuid, member, userIdByExternalId }, sides)).toBe(expected);
  });
});
