import { describe, expect, it } from 'vitest';
import { findProblems, readCheckov, readLint } from '../../../tools/check-templates/findings.ts';

const finding = { rule: 'CKV_AWS_27', place: 'consumers.template.json Queue', message: 'Ensure …' };
const reason = { rule: 'CKV_AWS_27', reason: 'Queues use the key of SQS.' };

describe('findProblems()', () => {
  it('accepts a finding with a reason', () => {
    expect(findProblems([finding, finding], [reason])).toEqual([]);
  });

  it('reports each finding without a reason', () => {
    expect(findProblems([finding, { ...finding, rule: 'E3002' }], [reason])).toEqual([
      'E3002 consumers.template.json Queue: Ensure …',
    ]);
  });

  it('reports a reason without a finding', () => {
    expect(findProblems([], [reason])).toEqual(['CKV_AWS_27 has a reason, but no finding: delete it']);
  });
});

it('a finding of cfn-lint names the template and the resource', () => {
  const Location = { Path: ['Resources', 'Role', 'DependsOn', 0] };
  const report = [{ Filename: '/a/base.template.json', Message: 'obsolete', Rule: { Id: 'W3005' }, Location }];
  expect(readLint(report)).toEqual([{ rule: 'W3005', place: 'base.template.json Role', message: 'obsolete' }]);
});

it('checkov reports failed checks and templates that it cannot read', () => {
  const failed = {
    check_id: 'CKV_AWS_27',
    check_name: 'Ensure …',
    file_path: '/consumers.template.json',
    resource: 'Queue',
  };
  expect(readCheckov({ results: { failed_checks: [failed], parsing_errors: ['/a/data.template.json'] } })).toEqual([
    finding,
    { rule: 'checkov', place: '/a/data.template.json', message: 'it cannot be read' },
  ]);
});
