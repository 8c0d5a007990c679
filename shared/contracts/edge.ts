// What a stage's delivery network (CloudFront) and the hosts behind it share. A stage has one delivery network in front
// of `management`.

/**
 * The headers that the delivery network adds to a request for a host. It replaces headers of these names that a viewer
 * has sent.
 */
export const edgeHeaders = {
  /** Proves that the request came through the delivery network. */
  secret: 'x-rewards-edge-secret',
  /** The address of the viewer. It is true only if the secret is. */
  viewerAddress: 'x-rewards-viewer-address',
} as const;

/** The secret of Secrets Manager with the text of the header {@link edgeHeaders.secret}; see `secretNameOf`. */
export const edgeSecret = 'edge';

/** The region of certificates and web ACLs of CloudFront, and so of the stack `sites`, whatever the stage's region. */
export const sitesRegion = 'us-east-1';

/**
 * Values that a stack stores in the Parameter Store, and that another stack reads when it is deployed, or a function
 * when it starts. So identity, sites and management need no references to each other, which would be a circle.
 */
export const stageParameters = {
  /** The domain name of the API of `management`, such as `abc.execute-api.us-east-1.amazonaws.com`. */
  managementDomain: 'management/domain',
  /** The dashboard's origin for people, such as `https://dashboard.example.com`, stored in {@link sitesRegion}. */
  dashboardUrl: 'dashboard/url',
  /** The OIDC issuer that signs people in to the dashboard. */
  identityIssuer: 'identity/issuer',
  /** The dashboard's OIDC client id at the issuer. */
  identityClient: 'identity/client',
} as const;

export type StageParameter = (typeof stageParameters)[keyof typeof stageParameters];

/** The name of a stage's value in the Parameter Store. */
export const parameterNameOf = (stage: string, parameter: StageParameter): string => `/rewards/${stage}/${parameter}`;
