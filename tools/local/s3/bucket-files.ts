import { readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import type { Resource, Resources } from '../template/resources.ts';

/** The custom resource by which a stack copies assets into a bucket. */
const deploymentType = 'Custom::CDKBucketDeployment';

interface DeploymentProperties {
  readonly SourceObjectKeys: readonly string[];
  readonly SourceMarkers?: readonly Readonly<Record<string, string>>[];
  readonly DestinationBucketName: string;
  readonly DestinationBucketKeyPrefix?: string;
  /** Headers with which the objects are served, such as `cache-control`. */
  readonly SystemMetadata?: Readonly<Record<string, string>>;
}

/** Media types by extension, as the AWS CLI in CDK's copying function guesses them. */
const mediaTypes: Readonly<Record<string, string>> = {
  '.css': 'text/css',
  '.html': 'text/html',
  '.ico': 'image/vnd.microsoft.icon',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.map': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
};

/**
 * Creates the buckets of the template, and copies the assets of its bucket deployments into them. CDK's own function for
 * that is a Python program and is not started. Objects that a deployment no longer has stay.
 *
 * @param endpoint of S3
 */
export async function fillBuckets(resources: Resources, endpoint: string): Promise<void> {
  for (const bucket of resources.ofType('AWS::S3::Bucket')) await put(`${endpoint}/${bucket.ref}`);
  for (const deployment of resources.ofType(deploymentType)) await copyAssets(deployment, endpoint);
}

async function copyAssets(deployment: Resource, endpoint: string): Promise<void> {
  const properties = deployment.properties<DeploymentProperties>();
  const { SourceObjectKeys, DestinationBucketName, DestinationBucketKeyPrefix = '', SystemMetadata } = properties;
  if (properties.SourceMarkers?.some((markers) => Object.keys(markers).length > 0)) {
    throw new Error(`${deployment.logicalId}: files with values of the template are not copied here`);
  }
  for (const folder of SourceObjectKeys.map(deployment.asset)) {
    for (const file of listFiles(folder)) {
      const name = relative(folder, file).split(sep).join('/');
      const key = [DestinationBucketKeyPrefix, name].filter(Boolean).join('/');
      await put(`${endpoint}/${DestinationBucketName}/${key.split('/').map(encodeURIComponent).join('/')}`, {
        body: readFileSync(file),
        headers: { 'Content-Type': mediaTypes[extname(file)] ?? 'binary/octet-stream', ...SystemMetadata },
      });
    }
  }
}

function listFiles(folder: string): string[] {
  const entries = readdirSync(folder, { withFileTypes: true, recursive: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

async function put(url: string, init: RequestInit = {}): Promise<void> {
  const response = await fetch(url, { ...init, method: 'PUT' });
  const text = await response.text();
  // With --persist, the bucket is there already.
  const isKept = text.includes('BucketAlreadyOwnedByYou');
  if (!response.ok && !isKept) throw new Error(`S3 refused ${url} with ${response.status}: ${text}`);
}
