import { describe, expect, it } from 'vitest';
import { createTimetable } from '../../../tools/local/scheduler/timetable.ts';

/** Returns the first due times of an expression after an instant, in UTC, to the minute. */
function listTimes(expression: string, from: string, count = 3): string[] {
  const timetable = createTimetable(expression);
  const found: string[] = [];
  let timeMs = timetable.first(Date.parse(from));
  while (timeMs !== undefined && found.length < count) {
    found.push(new Date(timeMs).toISOString().slice(0, 16));
    timeMs = timetable.next(timeMs);
  }
  return found;
}

const from = '2026-01-01T00:00:00Z'; // a Thursday

describe('cron expressions', () => {
  it.each([
    [
      'every quarter of an hour from the start',
      '0/15 * * * ? *',
      ['2026-01-01T00:00', '2026-01-01T00:15', '2026-01-01T00:30'],
    ],
    [
      'every tenth minute from the first',
      '1/10 * * * ? *',
      ['2026-01-01T00:01', '2026-01-01T00:11', '2026-01-01T00:21'],
    ],
    ['a step longer than its range', '5/90 * * * ? *', ['2026-01-01T00:05', '2026-01-01T01:05', '2026-01-01T02:05']],
    ['a step within a range', '0 8-17/4 * * ? *', ['2026-01-01T08:00', '2026-01-01T12:00', '2026-01-01T16:00']],
    ['weekdays by name', '0 18 ? * MON-FRI *', ['2026-01-01T18:00', '2026-01-02T18:00', '2026-01-05T18:00']],
    ['weekdays by number (Sunday is 1)', '0 18 ? * 1 *', ['2026-01-04T18:00', '2026-01-11T18:00', '2026-01-18T18:00']],
    ['Saturday by number', '0 18 ? * 7 *', ['2026-01-03T18:00', '2026-01-10T18:00', '2026-01-17T18:00']],
    ['every other weekday from Sunday', '0 0 ? * */2 *', ['2026-01-01T00:00', '2026-01-03T00:00', '2026-01-04T00:00']],
    ['the last day of the week', '0 0 ? * L *', ['2026-01-03T00:00', '2026-01-10T00:00', '2026-01-17T00:00']],
    ['the last Friday of the month', '0 0 ? * 6L *', ['2026-01-30T00:00', '2026-02-27T00:00', '2026-03-27T00:00']],
    [
      'the last Friday of the month by name',
      '0 0 ? * FRIL *',
      ['2026-01-30T00:00', '2026-02-27T00:00', '2026-03-27T00:00'],
    ],
    ['the second Tuesday', '0 0 ? * 3#2 *', ['2026-01-13T00:00', '2026-02-10T00:00', '2026-03-10T00:00']],
    [
      'the fifth Tuesday of months that have one',
      '0 0 ? * TUE#5 *',
      ['2026-03-31T00:00', '2026-06-30T00:00', '2026-09-29T00:00'],
    ],
    ['the last day of the month', '0 0 L * ? *', ['2026-01-31T00:00', '2026-02-28T00:00', '2026-03-31T00:00']],
    ['the last weekday of the month', '0 0 LW * ? *', ['2026-01-30T00:00', '2026-02-27T00:00', '2026-03-31T00:00']],
    ['the weekday nearest to the 15th', '0 0 15W * ? *', ['2026-01-15T00:00', '2026-02-16T00:00', '2026-03-16T00:00']],
    [
      'the nearest weekday within the month',
      '0 0 1W 8 ? *',
      ['2026-08-03T00:00', '2027-08-02T00:00', '2028-08-01T00:00'],
    ],
    ['months by name', '0 0 1 JAN,JUL ? *', ['2026-01-01T00:00', '2026-07-01T00:00', '2027-01-01T00:00']],
    ['names in lower case', '0 0 1 feb ? *', ['2026-02-01T00:00', '2027-02-01T00:00', '2028-02-01T00:00']],
    ['days that only some months have', '0 0 31 * ? *', ['2026-01-31T00:00', '2026-03-31T00:00', '2026-05-31T00:00']],
    ['leap days', '0 0 29 2 ? *', ['2028-02-29T00:00', '2032-02-29T00:00', '2036-02-29T00:00']],
    ['certain years', '0 0 1 1 ? 2027,2030-2031', ['2027-01-01T00:00', '2030-01-01T00:00', '2031-01-01T00:00']],
    [
      'every other year, counted from 1970',
      '0 0 1 1 ? */2',
      ['2026-01-01T00:00', '2028-01-01T00:00', '2030-01-01T00:00'],
    ],
    ['a year in the past', '0 0 1 1 ? 2025', []],
  ])('schedule %s: %s', (_, fields, expected) => {
    expect(listTimes(`cron(${fields})`, from)).toEqual(expected);
  });

  it.each([
    ['five fields', '0 0 * * ?'],
    ['seven fields', '0 0 0 * * ? *'],
    ['no day field given', '0 0 ? * ? *'],
    ['both day fields given', '0 0 1 * MON *'],
    ['no question mark in a day field', '0 0 * * * *'],
    ['minute 60', '60 0 * * ? *'],
    ['weekday 0', '0 0 ? * 0 *'],
    ['weekday 8', '0 0 ? * 8 *'],
    ['a sixth Tuesday', '0 0 ? * 3#6 *'],
    ['a reversed range', '0 0 ? * 7-2 *'],
    ['a step of 0', '0/0 0 * * ? *'],
    ['a year before 1970', '0 0 1 1 ? 1969'],
    ['a name of another field', '0 0 ? MON 2 *'],
    ['L in the minutes', 'L 0 * * ? *'],
    ['W on a weekday', '0 0 ? * 2W *'],
    ['a letter as minutes', 'x 0 * * ? *'],
  ])('are refused with %s: %s', (_, fields) => {
    expect(() => listTimes(`cron(${fields})`, from)).toThrow('Invalid Schedule Expression');
  });
});

describe('rate expressions', () => {
  it.each([
    ['rate(1 minute)', ['2026-01-01T00:00', '2026-01-01T00:01', '2026-01-01T00:02']],
    ['rate(5 minutes)', ['2026-01-01T00:00', '2026-01-01T00:05', '2026-01-01T00:10']],
    ['rate(12 hours)', ['2026-01-01T00:00', '2026-01-01T12:00', '2026-01-02T00:00']],
    ['rate(7 days)', ['2026-01-01T00:00', '2026-01-08T00:00', '2026-01-15T00:00']],
  ])('are due at once and then after each period: %s', (expression, expected) => {
    expect(listTimes(expression, from)).toEqual(expected);
  });

  it.each(['rate(0 minutes)', 'rate(5 seconds)', 'rate(1.5 hours)', 'rate(-1 days)', 'rate(minute)'])(
    'are refused when they are malformed: %s',
    (expression) => {
      expect(() => listTimes(expression, from)).toThrow('Invalid Schedule Expression');
    },
  );
});

describe('at() expressions', () => {
  it('are still due when their time was less than a minute ago', () => {
    expect(listTimes('at(2026-01-01T00:00:00)', '2026-01-01T00:00:59Z')).toHaveLength(1);
    expect(listTimes('at(2026-01-01T00:00:00)', '2026-01-01T00:01:00Z')).toHaveLength(0);
  });

  it.each(['at(2026-02-30T25:00:00)', 'at(2026-01-01)', 'at(2026-01-01T00:00:00Z)'])(
    'are refused when they are malformed: %s',
    (expression) => {
      expect(() => listTimes(expression, from)).toThrow('Invalid Schedule Expression');
    },
  );
});
