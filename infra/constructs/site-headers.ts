import { Duration } from 'aws-cdk-lib';
import {
  HeadersReferrerPolicy,
  ResponseHeadersPolicy,
  type ResponseSecurityHeadersBehavior,
} from 'aws-cdk-lib/aws-cloudfront';
import type { Construct } from 'constructs';
import type { StageSettings } from '../stages.ts';
import { reactAriaStyleHashes } from './react-aria-styles.ts';

/** The page may load, and send to, its own origin only. Nothing inline runs, and no other page may frame it. */
const applicationPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  `style-src 'self' ${reactAriaStyleHashes.join(' ')}`,
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "frame-src 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ');

/** A reply of the API that a person opens as a page does nothing. */
const apiPolicy = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

const common: ResponseSecurityHeadersBehavior = {
  contentTypeOptions: { override: true },
  referrerPolicy: { referrerPolicy: HeadersReferrerPolicy.NO_REFERRER, override: true },
  strictTransportSecurity: { accessControlMaxAge: Duration.days(730), includeSubdomains: false, override: true },
};

/** The headers of the application's page and files. */
export class ApplicationHeaders extends ResponseHeadersPolicy {
  constructor(scope: Construct, id: string, stage: StageSettings) {
    super(scope, id, {
      responseHeadersPolicyName: `rewards-${stage.name}-dashboard-application`,
      securityHeadersBehavior: {
        ...common,
        contentSecurityPolicy: { contentSecurityPolicy: applicationPolicy, override: true },
      },
      customHeadersBehavior: {
        customHeaders: [{ header: 'Cross-Origin-Opener-Policy', value: 'same-origin', override: true }],
      },
      removeHeaders: ['x-amz-version-id', 'x-amz-server-side-encryption'],
    });
  }
}

/** The headers of the API's replies. A reply with a content security policy of its own, such as a preview, keeps it. */
export class ApiHeaders extends ResponseHeadersPolicy {
  constructor(scope: Construct, id: string, stage: StageSettings) {
    super(scope, id, {
      responseHeadersPolicyName: `rewards-${stage.name}-dashboard-api`,
      securityHeadersBehavior: {
        ...common,
        contentSecurityPolicy: { contentSecurityPolicy: apiPolicy, override: false },
      },
    });
  }
}
