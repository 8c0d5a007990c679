import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { secretNameOf } from '../contracts/consumer.ts';
import { edgeSecret, parameterNameOf, sitesRegion, stageParameters } from '../contracts/edge.ts';
import { cacheAgeMs } from '../contracts/limits.ts';
import { cache } from '../domain/memoize.ts';
import { ParameterStore } from '../programs/parameter-store.ts';
import { SecretsManager } from '../programs/secrets-manager.ts';
import { awsClientSettings, type Runtime } from './runtime.ts';

/** What the functions of `management` know about the sites of their stage. */
export interface SiteSettings {
  /** The secrets that the delivery network may send: the present one, and the one before, which a rotation replaces. */
  readonly edgeSecrets: readonly string[];
  /** The dashboard's origin for people, without a slash at the end. */
  readonly dashboardUrl: string;
  /** The OIDC issuer, and the dashboard's client id at it. */
  readonly identity: { readonly issuer: string; readonly clientId: string };
}

type SettingsDeps = Pick<Runtime, 'config' | 'now'>;

/**
 * Makes a function that returns the settings, which it reads at its first call and again after some minutes.
 *
 * @throws Error when the stacks of the stage are not all deployed
 */
export function openSiteSettings(deps: SettingsDeps): () => Promise<SiteSettings> {
  const settings = cache(() => readSettings(deps), { maximumAgeMs: cacheAgeMs.siteSettings, now: deps.now });
  return () => settings(deps.config.stage);
}

async function readSettings({ config, now }: SettingsDeps): Promise<SiteSettings> {
  const { config: aws } = new DynamoDBClient(awsClientSettings());
  const secrets = new SecretsManager(aws, config.secretsEndpoint, now);
  const parameters = new ParameterStore(aws, config.parametersEndpoint, now);
  const nameOf = (parameter: keyof typeof stageParameters) => parameterNameOf(config.stage, stageParameters[parameter]);

  const secretName = secretNameOf(config.stage, edgeSecret);
  const [current, previous, [dashboardUrl], [issuer, clientId]] = await Promise.all([
    secrets.read(secretName),
    secrets.read(secretName, 'AWSPREVIOUS'),
    parameters.read([nameOf('dashboardUrl')], sitesRegion),
    parameters.read([nameOf('identityIssuer'), nameOf('identityClient')]),
  ]);
  if (current === undefined) throw new Error('the stage has no secret of its delivery network: deploy its data stack');
  const edgeSecrets = previous === undefined ? [current] : [current, previous];
  return { edgeSecrets, dashboardUrl, identity: { issuer, clientId } };
}
