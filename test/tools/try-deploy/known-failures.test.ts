import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readResults } from '../../../tools/try-deploy/flow-suite.ts';
import { judge, type KnownFailure, type TestResult } from '../../../tools/try-deploy/known-failures.ts';

const file = 'test/flow/gateway.test.ts';
const known = { file, test: 'an encoded slash', reason: 'It decodes %2F.' };
const result = (test: string, state: TestResult['state'], message?: string): TestResult => ({
  file,
  test,
  state,
  message,
});

describe('judge()', () => {
  it('counts a known failure, and reports no problem', () => {
    const results = [result('a path', 'passed'), result('an encoded slash', 'failed'), result('a queue', 'skipped')];
    expect(judge(results, [known])).toEqual({ passed: 1, skipped: 1, known: 1, problems: [] });
  });

  it('reports a failure with a known name in another file', () => {
    const other = { ...result('an encoded slash', 'failed', 'expected 404'), file: 'test/flow/story.test.ts' };
    expect(judge([other, result('an encoded slash', 'failed')], [known])).toMatchObject({
      known: 1,
      problems: ['test/flow/story.test.ts: an encoded slash: expected 404'],
    });
  });

  it('accepts that a `mayPass` test passes, but not that it is missing', () => {
    const slow = { ...known, mayPass: true as const };
    expect(judge([result('an encoded slash', 'passed')], [slow])).toMatchObject({ passed: 1, known: 0, problems: [] });
    expect(judge([], [slow]).problems).toHaveLength(1);
  });

  it.each([
    ['passes', [result('an encoded slash', 'passed')], 'passed'],
    ['is skipped', [result('an encoded slash', 'skipped')], 'skipped'],
    ['is gone', [], 'does not exist'],
  ])('reports a known failure that %s', (_, results, found) => {
    expect(judge(results, [known])).toMatchObject({
      known: 0,
      problems: [`${file}: an encoded slash: is a known failure, but ${found}`],
    });
  });
});

describe('readResults()', () => {
  it('reads each test with the first line of its failure', () => {
    const assertionResults = [
      { fullName: 'a path is found', status: 'passed' },
      { fullName: 'a queue is empty', status: 'failed', failureMessages: ['expected 1\n    at test.ts'] },
      { fullName: 'a clock', status: 'pending' },
    ];
    expect(readResults({ testResults: [{ name: resolve(file), message: '', assertionResults }] })).toEqual([
      result('a path is found', 'passed'),
      result('a queue is empty', 'failed', 'expected 1'),
      result('a clock', 'skipped'),
    ]);
  });

  it('reports a file that failed outside its tests', () => {
    const testResults = [{ name: resolve(file), message: 'no world', assertionResults: [] }];
    expect(readResults({ testResults })).toEqual([result('', 'failed', 'no world')]);
  });
});

/** Whether a test's name is made from a title, in which a placeholder such as %s stands for a part of each case. */
function isCaseOf(title: string, name: string): boolean {
  const [begin = '', ...others] = title.split(/%s|\$\w+/);
  const end = others.at(-1);
  return end === undefined ? name === title : name.startsWith(begin) && name.endsWith(end);
}

describe('the known failures', () => {
  const list: KnownFailure[] = JSON.parse(readFileSync('tools/try-deploy/known-failures.json', 'utf8'));

  it('each name an existing test file and a reason', () => {
    expect(list.filter(({ file, reason }) => !existsSync(file) || reason.length < 20)).toEqual([]);
  });

  it.each(list)('name a test that exists: $test', ({ file, test }) => {
    // The title of a table of cases follows the end of the table: `])('returns …', `.
    const titles = [...readFileSync(file, 'utf8').matchAll(/^ *(describe\b.*?|it\b.*?|\].*\))\(\s*'(.+)',/gm)];
    const of = (isDescribe: boolean) =>
      titles.filter(([, begin = '']) => begin.startsWith('describe') === isDescribe).map(([, , title = '']) => title);
    const [described = ''] = of(true).filter((one) => test.startsWith(`${one} `));
    const own = test.slice(`${described} `.length);
    expect(of(false).filter((title) => isCaseOf(title, own))).toHaveLength(1);
  });
});
