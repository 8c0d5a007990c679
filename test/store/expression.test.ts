import { describe, expect, it } from 'vitest';
import { changeText, conditionText, Placeholders, writeParameters } from '../../shared/store/table/expressions.ts';
import type { Changes, Condition, Write } from '../../shared/store/table/table-client.ts';

describe('conditionText()', () => {
  it.each<[Condition[], string, unknown[]]>([
    [[{ attribute: 'pk', is: 'absent' }], 'attribute_not_exists(#pk)', []],
    [[{ attribute: 'pk', is: 'present' }], 'attribute_exists(#pk)', []],
    [[{ attribute: 'state', is: '=', value: 'ISSUED' }], '#state = :v0', ['ISSUED']],
    [[{ attribute: 'points', is: '>=', value: 5 }], '#points >= :v0', [5]],
    [[{ attribute: 'isRevoked', is: '<>', value: true }], '#isRevoked <> :v0', [true]],
    [[{ attribute: 'state', is: 'in', values: ['A', 'B'] }], '#state IN (:v0, :v1)', ['A', 'B']],
    [
      [
        { attribute: 'state', is: '=', value: 'A' },
        { attribute: 'until', is: '<', value: 'B' },
      ],
      '#state = :v0 AND #until < :v1',
      ['A', 'B'],
    ],
  ])('turns the conditions %j into "%s"', (conditions, text, values) => {
    const placeholders = new Placeholders();

    expect(conditionText(conditions, placeholders)).toBe(text);
    expect(Object.values(placeholders.values)).toEqual(values);
  });
});

describe('changeText()', () => {
  it.each<[Changes, string]>([
    [{ set: { a: 1, b: null } }, 'SET #a = :v0, #b = :v1'],
    [{ add: { points: -5 } }, 'ADD #points :v0'],
    [{ remove: ['a', 'b'] }, 'REMOVE #a, #b'],
    [{ set: { a: 1 }, add: { b: 2 }, remove: ['c'] }, 'SET #a = :v0 ADD #b :v1 REMOVE #c'],
    [{}, ''],
  ])('turns the changes %j into "%s"', (changes, text) => expect(changeText(changes, new Placeholders())).toBe(text));
});

describe('the text of a write', () => {
  const key = { pk: 'P', sk: 'S' };

  it('uses different placeholders for the condition and the change', () => {
    const write: Write = {
      kind: 'update',
      key,
      changes: { set: { state: 'SPENT' } },
      when: [{ attribute: 'state', is: '=', value: 'ISSUED' }],
    };

    expect(writeParameters(write, 'table')).toEqual({
      TableName: 'table',
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      ConditionExpression: '#state = :v0',
      UpdateExpression: 'SET #state = :v1',
      ExpressionAttributeNames: { '#state': 'state' },
      ExpressionAttributeValues: { ':v0': 'ISSUED', ':v1': 'SPENT' },
    });
  });

  it('omits the parameters that DynamoDB refuses when they are empty', () => {
    expect(writeParameters({ kind: 'delete', key }, 'table')).toEqual({
      TableName: 'table',
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    });
  });
});
