import { Duration, Validations } from 'aws-cdk-lib';
import { BackupPlan, BackupPlanRule, BackupResource, BackupVault } from 'aws-cdk-lib/aws-backup';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { SnsTopic } from 'aws-cdk-lib/aws-events-targets';
import { ManagedPolicy, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import { type BackupSettings, dataRemovalPolicy, type StageSettings } from '../stages.ts';

const managedPolicy = 'service-role/AWSBackupServiceRolePolicyForBackup';

export interface TableBackupsProps {
  readonly stage: StageSettings;
  readonly backups: BackupSettings;
  /** The table that the platform uses: the restored table, or else the stack's own. */
  readonly tableArn: string;
  readonly alarms: ITopic;
}

/**
 * Makes a backup of the table every night, in a vault with its own key. If the stage names a vault in another region or
 * account, that vault gets a copy. Unlike point-in-time recovery, the backups survive the loss of the table or its key.
 * The copy also survives the loss of the region or account.
 */
export class TableBackups extends Construct {
  constructor(scope: Construct, id: string, { stage, backups, tableArn, alarms }: TableBackupsProps) {
    super(scope, id);
    const removalPolicy = dataRemovalPolicy(stage);
    const retention = Duration.days(backups.retentionDays);

    const encryptionKey = new Key(this, 'Key', {
      description: 'Encrypts the backups of the Rewards Platform',
      enableKeyRotation: true,
      removalPolicy,
    });
    const vault = new BackupVault(this, 'Vault', {
      encryptionKey,
      removalPolicy,
      // Only a person who may remove this lock can delete a backup before its time.
      lockConfiguration: { minRetention: retention },
    });
    const { copyToVaultArn } = backups;
    const plan = new BackupPlan(this, 'Plan', {
      backupVault: vault,
      backupPlanRules: [
        new BackupPlanRule({
          ruleName: 'daily',
          scheduleExpression: Schedule.cron({ hour: '3', minute: '30' }),
          startWindow: Duration.hours(1),
          completionWindow: Duration.hours(12),
          deleteAfter: retention,
          copyActions: copyToVaultArn
            ? [
                {
                  destinationBackupVault: BackupVault.fromBackupVaultArn(this, 'Copies', copyToVaultArn),
                  deleteAfter: retention,
                },
              ]
            : [],
        }),
      ],
    });
    const role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('backup.amazonaws.com'),
      managedPolicies: [ManagedPolicy.fromAwsManagedPolicyName(managedPolicy)],
    });
    Validations.of(role).acknowledge({
      id: `AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/${managedPolicy}]`,
      reason: 'The policy that AWS made for this purpose: it reads tables and writes to vaults.',
    });
    plan.addSelection('Table', { resources: [BackupResource.fromArn(tableArn)], role });

    new Rule(this, 'Failed', {
      description: 'Tells the person on call that a backup or its copy failed',
      eventPattern: {
        source: ['aws.backup'],
        detailType: ['Backup Job State Change', 'Copy Job State Change'],
        detail: { state: ['FAILED', 'ABORTED', 'EXPIRED'] },
      },
      targets: [new SnsTopic(alarms)],
    });
  }
}
