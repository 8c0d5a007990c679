import { RemovalPolicy } from 'aws-cdk-lib';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';

/** The topic that all alarms go to; who is on call subscribes to it. */
export class AlarmTopic extends Construct {
  readonly topic: Topic;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    const cloudWatch = new ServicePrincipal('cloudwatch.amazonaws.com');

    // A key of ours, because CloudWatch may not use the key that SNS brings along: alarms would be lost without a word.
    const masterKey = new Key(this, 'Key', {
      description: 'Encrypts alarms on their way',
      enableKeyRotation: true,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    masterKey.addToResourcePolicy(
      new PolicyStatement({
        principals: [cloudWatch],
        actions: ['kms:Decrypt', 'kms:GenerateDataKey'],
        resources: ['*'],
      }),
    );
    this.topic = new Topic(this, 'Resource', { masterKey, enforceSSL: true });
    this.topic.grantPublish(cloudWatch);
  }
}
