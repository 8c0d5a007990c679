import { App } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Code } from 'aws-cdk-lib/aws-lambda';
import { describe, expect, it } from 'vitest';
import { DataStack } from '../../infra/stacks/data-stack.ts';
import { type StageSettings, stageSettings } from '../../infra/stages.ts';
import { synthesized, textOf } from './support/synthesized.ts';

describe('the backups of production', () => {
  const { only, ofType, referredBy } = synthesized('production');
  const vault = only('AWS::Backup::BackupVault');

  it('are made every night from the table in use', () => {
    expect(only('AWS::Backup::BackupPlan').Properties).toMatchObject({
      BackupPlan: {
        BackupPlanRule: [{ ScheduleExpression: 'cron(30 3 * * ? *)', Lifecycle: { DeleteAfterDays: 35 } }],
      },
    });
    const { BackupSelection } = only('AWS::Backup::BackupSelection').Properties;
    expect(textOf(BackupSelection)).toContain(only('AWS::DynamoDB::GlobalTable').id);
  });

  it('are in a locked vault that outlives the stack', () => {
    expect(vault.Properties).toMatchObject({ LockConfiguration: { MinRetentionDays: 35 } });
    const key = referredBy(vault.Properties.EncryptionKeyArn);
    expect(key.id).toContain('Backups');
    expect([vault, key].map(({ DeletionPolicy }) => DeletionPolicy)).toEqual(Array(2).fill('RetainExceptOnCreate'));
  });

  it('notify the person on call when a backup job fails', () => {
    const rules = ofType('AWS::Events::Rule').filter(({ Properties }) => textOf(Properties).includes('aws.backup'));
    expect(rules).toHaveLength(1);
    expect(textOf(rules[0]?.Properties.Targets)).toContain('Alarms');
    const policies = ofType('AWS::KMS::Key').filter(({ id }) => id.startsWith('Alarms'));
    expect(textOf(policies[0]?.Properties)).toContain('events.amazonaws.com');
  });
});

const templateOf = (stage: StageSettings) =>
  Template.fromStack(new DataStack(new App(), 'data', { stage, code: () => Code.fromInline('//') }));

it('a stage copies its backups to the configured vault', () => {
  const copyToVaultArn = 'arn:aws:backup:eu-west-1:444455556666:backup-vault:rewards-copies';
  const template = templateOf({ ...stageSettings('production'), backups: { retentionDays: 35, copyToVaultArn } });
  const copy = { DestinationBackupVaultArn: copyToVaultArn, Lifecycle: { DeleteAfterDays: 35 } };
  template.hasResourceProperties('AWS::Backup::BackupPlan', {
    BackupPlan: { BackupPlanRule: [{ CopyActions: [copy] }] },
  });
});

it('a stage that uses a restored table backs up that table', () => {
  const restoredTable = { name: 'restored', arn: 'arn:of:the:table', streamArn: 'arn:of:the:stream' };
  templateOf({ ...stageSettings('production'), restoredTable }).hasResourceProperties('AWS::Backup::BackupSelection', {
    BackupSelection: { Resources: ['arn:of:the:table'] },
  });
});

it.each(['sandbox', 'local'] as const)('the stage %s makes no backups', (stage) => {
  expect(synthesized(stage).ofType('AWS::Backup::BackupPlan')).toEqual([]);
});
