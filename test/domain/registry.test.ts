import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Attributes } from '../../shared/domain/member/member.ts';
import {
  applyReport,
  emptyRegistry,
  findAttributeFaults,
  findReportFaults,
  findTier,
  findTierFaults,
  findValueFault,
  type MemberReport,
  nextOrder,
  ownRecordsOf,
  type RegisteredAttribute,
  Registry,
  withAttribute,
  withoutAttribute,
  withoutTier,
  withTier,
} from '../../shared/domain/registry/registry.ts';
import { aMember, anAssociation } from './fixtures.ts';

const plan: RegisteredAttribute = { name: 'plan', type: 'text', values: ['free', 'gold'] };
const cups: RegisteredAttribute = { name: 'cups', type: 'number', values: null };
const vip: RegisteredAttribute = { name: 'vip', type: 'boolean', values: null };
const silver = { id: 1, name: 'Silver', order: 1 };
const gold = { id: 2, name: 'Gold', order: 2 };
const registry: Registry = {
  ...emptyRegistry(1),
  attributes: [cups, plan, vip],
  tiers: [silver, gold],
};

describe('findValueFault()', () => {
  it.each<[RegisteredAttribute, string, string | undefined]>([
    [plan, 'gold', undefined],
    [plan, 'Gold', 'has to be one of free, gold'],
    [{ ...plan, values: null }, 'anything', undefined],
    [cups, '12', undefined],
    [cups, '-0.5', undefined],
    ...['12.0', '012', '1e3', ' 1', 'NaN', 'Infinity', '-0', 'many'].map(
      (value): [RegisteredAttribute, string, string] => [cups, value, 'has to be a number, such as 12 or 0.5'],
    ),
    [vip, 'true', undefined],
    [vip, 'yes', 'has to be true or false'],
  ])('for %o and the value “%s”, returns “%s”', (attribute, value, fault) => {
    expect(findValueFault(attribute, value)).toBe(fault);
  });
});

describe('a registry entry', () => {
  it('replaces the entry of the same name or number', () => {
    const changed = withAttribute(registry, { ...plan, values: null });
    expect(changed.attributes).toEqual([cups, { ...plan, values: null }, vip]);
    expect(withTier(registry, { ...silver, order: 3 }).tiers).toEqual([gold, { ...silver, order: 3 }]);
    expect(withoutAttribute(changed, 'plan').attributes).toEqual([cups, vip]);
    expect(withoutTier(registry, 1).tiers).toEqual([gold]);
    expect([nextOrder(emptyRegistry(1)), nextOrder(registry)]).toEqual([1, 3]);
  });

  it.each<[string, Partial<RegisteredAttribute>, string[]]>([
    ['a name that every object inherits', { name: 'constructor' }, ['name is a name that cannot be kept']],
    ['a blank at the end', { name: 'plan ' }, ['name must have 1 to 255 characters, and no blank at the start or end']],
    ['no value', { values: [] }, ['values are none: allow some values, or every value']],
    ['a value twice', { values: ['a', 'b', 'a'] }, ['values.2 is listed twice']],
    [
      'a value of another type',
      { type: 'number', values: ['1', 'two'] },
      ['values.1 is “two”, and has to be a number, such as 12 or 0.5'],
    ],
  ])('is refused for an attribute with %s', (_case, more, faults) => {
    const found = findAttributeFaults({ ...plan, ...more });
    expect(found.map(({ path, message }) => `${path.join('.')} ${message}`)).toEqual(faults);
  });

  it('is refused when another tier has its name or order', () => {
    expect(findTierFaults({ id: 3, name: 'GOLD', order: 1 }, registry).map(({ message }) => message)).toEqual([
      'is the name of tier 2',
      'is the order of tier 1 (Silver)',
    ]);
    expect(findTierFaults({ ...gold, name: 'Or' }, registry)).toEqual([]);
  });

  it('is found by its name, otherwise by its number', () => {
    expect(findTier('Gold', [silver, gold])).toBe(gold);
    expect(findTier('2', [silver, { ...gold, id: 9, name: '2' }, gold])?.id).toBe(9);
    expect(findTier('1', [silver, gold])).toBe(silver);
    expect(findTier('gold', [silver, gold])).toBeUndefined();
  });
});

describe('a member report', () => {
  const customer = aMember({
    associations: [anAssociation({ merchantId: 1, attributes: { plan: ['free'], old: ['x'] } })],
  });
  const own = ownRecordsOf(customer, 1);
  const faultsOf = (report: MemberReport, records = own) =>
    findReportFaults(report, records, registry).map(({ path, code }) => `${path.join('.')} ${code}`);
  const attributesAfter = (report: MemberReport) => applyReport(report, own).association?.attributes;

  it('changes only the attributes that it names', () => {
    expect(faultsOf({ attributes: { plan: ['gold'], old: [] } })).toEqual([]);
    expect(attributesAfter({ attributes: { plan: ['gold'] } })).toEqual({ plan: ['gold'], old: ['x'] });
    expect(attributesAfter({ attributes: { old: [] } })).toEqual({ plan: ['free'] });
    expect(attributesAfter({})).toEqual({ plan: ['free'], old: ['x'] });
  });

  it('has a fault for each unregistered attribute, value and tier', () => {
    expect(faultsOf({ attributes: { plan: ['gold', 'golf'], weather: ['sun'], vip: ['maybe'] } })).toEqual([
      'attributes.plan.1 unknown_value',
      'attributes.weather unknown_attribute',
      'attributes.vip.0 unknown_value',
    ]);
    const [membership] = customer.memberships;
    expect(faultsOf({ statusTierId: 3 }, { association: undefined, membership })).toEqual([
      'partnerStatusTierId unknown_tier',
    ]);
    expect(faultsOf({ statusTierId: null }, { association: undefined, membership })).toEqual([]);
  });

  it('may not contain what only the other side may report', () => {
    const [membership] = customer.memberships;
    const location = { country: 'US', region: null, city: null };
    expect(faultsOf({ statusTierId: 1 })).toEqual(['partnerStatusTierId not_the_partner']);
    expect(faultsOf({ attributes: { plan: [] }, location }, { association: undefined, membership })).toEqual([
      'attributes not_the_merchant',
      'location not_the_merchant',
    ]);
  });

  it('may not give the member too many attributes', () => {
    const many: Attributes = Object.fromEntries(Array.from({ length: 20 }, (_, nth) => [`old${nth}`, ['x']]));
    const full = { association: anAssociation({ attributes: many }), membership: undefined };
    expect(faultsOf({ attributes: { plan: ['gold'] } }, full)).toEqual(['attributes too_big']);
    expect(faultsOf({ attributes: { plan: ['gold'], old0: [] } }, full)).toEqual([]);
  });

  it('has the same effect when it is applied twice', () => {
    const values = fc.subarray(['free', 'gold']);
    const report = fc.record(
      {
        attributes: fc.dictionary(fc.constantFrom('plan', 'old', 'vip'), values),
        location: fc.constantFrom(
          { country: 'US', region: null, city: null },
          { country: 'CA', region: 'ON', city: null },
        ),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(report, (one) => {
        const once = applyReport(one, own);
        expect(applyReport(one, once)).toEqual(once);
      }),
    );
  });
});

it('parsing a stored registry leaves all of its entries unchanged', () => {
  expect(Registry.parse(registry)).toEqual(registry);
});
