import { RemovalPolicy } from 'aws-cdk-lib';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';

/** The topic that all alarms go to; who is on call subscribes to it. */
export class AlarmTopic extends Construct {
  readonly topic: Topic;

  constructor(scope: Construct, id: string) {
    super(scope, id);

    // A key of ours: CloudWatch may not use the one that SNS brings along, and alarms would be lost without a word.
    const masterKey = new Key(this, 'Key', {
      description: 'Encrypts alarms on their way',
      enableKeyRotation: true,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    this.topic = new Topic(this, 'Resource', { masterKey, enforceSSL: true });
    // Also lets it use the key.
    this.topic.grantPublish(new ServicePrincipal('cloudwatch.amazonaws.com'));
  }
}
