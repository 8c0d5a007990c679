import { startSite } from '../cloudfront/cloudfront.ts';
import { type DistributionContext, readDistribution } from '../cloudfront/distribution.ts';
import { toHostNames } from '../gateway/rest-api.ts';
import { fillBuckets } from '../s3/bucket-files.ts';
import type { Resource } from '../template/resources.ts';
import type { StartContext } from './services.ts';

/** Starts one listener for each distribution of the template, and fills the buckets. Returns the URL of each site. */
export async function startSites(
  context: DistributionContext,
  { options: { ports, sites: areServed = true }, stoppers }: StartContext,
): Promise<Record<string, string>> {
  if (!areServed) return {};
  const { resources, localUrls, s3 } = context;
  const filling = fillBuckets(resources, s3);
  const distributions = resources.ofType('AWS::CloudFront::Distribution');
  const names = toHostNames(distributions.map(nameOf));
  const sites = await Promise.all(
    distributions.map(async (resource, index) => {
      const name = names[index] ?? resource.logicalId;
      const site = await startSite(ports?.sites?.[name] ?? 0);
      stoppers.add(() => site.stop());
      return { name, resource, site };
    }),
  );
  for (const { resource, site } of sites) {
    const distribution = readDistribution(resource, context);
    for (const awsUrl of distribution.awsUrls) localUrls.add(awsUrl, site.url);
    site.serve(distribution);
  }
  await filling;
  return Object.fromEntries(sites.map(({ name, site }) => [name, site.url]));
}

/** Distributions have no names. Their comments begin alike: `rewards-local-dashboard`. */
const nameOf = (resource: Resource): string =>
  resource.properties<{ DistributionConfig: { Comment?: string } }>().DistributionConfig.Comment ?? resource.logicalId;
