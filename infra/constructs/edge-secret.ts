import { SecretValue, Validations } from 'aws-cdk-lib';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Construct } from 'constructs';
import { secretNameOf } from '../../shared/contracts/consumer.ts';
import { edgeSecret, sitesRegion } from '../../shared/contracts/edge.ts';
import type { StageSettings } from '../stages.ts';

/**
 * The secret that the delivery network sends to the hosts behind it. A host that is called without it was not called
 * through the delivery network.
 */
export class EdgeSecret extends Construct {
  constructor(scope: Construct, id: string, stage: StageSettings) {
    super(scope, id);
    const secret = new Secret(this, 'Secret', {
      secretName: secretNameOf(stage.name, edgeSecret),
      description: 'Proves to a host that a request came through the delivery network of the stage',
      generateSecretString: { passwordLength: 64, excludePunctuation: true },
      // The stack of the delivery network reads the copy in its own region.
      ...(stage.region !== sitesRegion && { replicaRegions: [{ region: sitesRegion }] }),
    });
    Validations.of(secret).acknowledge({
      id: 'AwsSolutions-SMG4',
      reason:
        'A new text reaches the delivery network by a deployment only, so people rotate it (docs/runbook.md). The hosts take the earlier text too.',
    });
  }
}

/**
 * Returns the secret for a property of a template. CloudFormation puts the text in when it deploys the resource, so the
 * template does not contain it. It does so again only when the template changes: a rotation changes the version.
 */
export function edgeSecretValue({ name, edgeSecretVersion: versionId }: StageSettings): string {
  const options = versionId === undefined ? {} : { versionId };
  return SecretValue.secretsManager(secretNameOf(name, edgeSecret), options).unsafeUnwrap();
}
