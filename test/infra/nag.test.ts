import { type App, Stack, Validations } from 'aws-cdk-lib';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { AwsSolutionsChecks } from 'cdk-nag';
import { describe, expect, it } from 'vitest';
import { synthesizedApp } from './support/synthesized.ts';

function checked(app: App): () => unknown {
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  return () => app.synth();
}

describe.each(['sandbox', 'production', 'local'] as const)('the rules of AWS Solutions in %s', (stage) => {
  it('find nothing that is not acknowledged with its reason', () => {
    expect(checked(synthesizedApp(stage))).not.toThrow();
  });
});

describe('the rules of AWS Solutions', () => {
  it('would find a queue that is not one of the house', () => {
    const app = synthesizedApp('sandbox');
    new Queue(new Stack(app, 'another'), 'Plain');
    expect(checked(app)).toThrow(/AwsSolutions-SQS3/);
  });
});
