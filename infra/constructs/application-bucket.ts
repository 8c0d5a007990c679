import { Duration, IgnoreMode, RemovalPolicy, Validations } from 'aws-cdk-lib';
import { BlockPublicAccess, Bucket, BucketEncryption, type IBucket } from 'aws-cdk-lib/aws-s3';
import { BucketDeployment, CacheControl, Source } from 'aws-cdk-lib/aws-s3-deployment';
import { Construct } from 'constructs';

/** How long a page that was replaced can be fetched again by a person who repairs a deployment. */
const replacedPages = Duration.days(30);

const forever = [CacheControl.setPublic(), CacheControl.maxAge(Duration.days(365)), CacheControl.immutable()];

/**
 * The private bucket of a built application, and the copying of the build into it. Files below `assets/` have a hash in
 * their names. They stay when a later build no longer has them, because an open tab still loads its next route from
 * them: a build is small, and a rule by age would one day delete the files of a build that still runs.
 */
export class ApplicationBucket extends Construct {
  readonly bucket: IBucket;

  /** @param folder the build: index.html, other files of the root, and `assets/` */
  constructor(scope: Construct, id: string, folder: string) {
    super(scope, id);
    const bucket = new Bucket(this, 'Bucket', {
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      encryption: BucketEncryption.S3_MANAGED,
      enforceSSL: true,
      versioned: true,
      lifecycleRules: [
        { noncurrentVersionExpiration: replacedPages, abortIncompleteMultipartUploadAfter: Duration.days(1) },
      ],
      // Everything in it can be built again.
      removalPolicy: RemovalPolicy.DESTROY,
      autoDeleteObjects: true,
    });
    Validations.of(bucket).acknowledge({
      id: 'AwsSolutions-S1',
      reason: 'Only the delivery network reads the bucket, and it has a log of its own.',
    });
    // CDK declares the optional website differently in `Bucket` and in `IBucket`.
    this.bucket = bucket as IBucket;
    const files = this.#copy('Files', folder, { exclude: ['/*', '!/assets'], cacheControl: forever });
    const pages = this.#copy('Pages', folder, {
      exclude: ['/assets', '/.vite'],
      cacheControl: [CacheControl.noCache()],
    });
    // A page that is there before its files would load files that are not.
    pages.node.addDependency(files);
  }

  #copy(
    id: string,
    folder: string,
    { exclude, cacheControl }: { readonly exclude: string[]; readonly cacheControl: CacheControl[] },
  ): BucketDeployment {
    return new BucketDeployment(this, id, {
      sources: [Source.asset(folder, { exclude, ignoreMode: IgnoreMode.GIT })],
      destinationBucket: this.bucket,
      cacheControl,
      prune: false,
      memoryLimit: 512,
    });
  }
}
