import { Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { rewardsPlatform } from './platform-app.ts';

/**
 * The app that `cdk` runs. Without `cdk`, the app needs only a third of the time: `CDK_OUTDIR=cdk.out
 * CDK_CONTEXT_JSON='{"stage":"local"}' CDK_VALIDATION=false node infra/app.ts`
 */
const app = rewardsPlatform();
Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
app.synth();
