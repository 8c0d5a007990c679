import { type App, Stack, Validations } from 'aws-cdk-lib';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { AwsSolutionsChecks } from 'cdk-nag';
import { describe, expect, it } from 'vitest';
import { synthesizedApp } from './support/synthesized.ts';

function checked(app: App): () => unknown {
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  return () => app.synth();
}

describe.each(['sandbox', 'production', 'local'] as const)(
  'the AWS Solutions rules, applied to the stage %s,',
  (stage) => {
    it('report only acknowledged violations', () => {
      expect(checked(synthesizedApp(stage))).not.toThrow();
    });
  },
);

describe('the AWS Solutions rules', () => {
  it('report a queue without a dead-letter queue', () => {
    const app = synthesizedApp('sandbox');
    new Queue(new Stack(app, 'another'), 'Plain');
    expect(checked(app)).toThrow(/AwsSolutions-SQS3/);
  });
});
