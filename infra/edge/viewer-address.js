// The CloudFront Function of the API's behaviour. Its runtime has the language only.

/**
 * Tells the host the viewer's address, in place of an address that the viewer claims. CloudFront's own header for it
 * cannot be added while all headers but Host are forwarded.
 */
function handler(event) {
  const request = event.request;
  request.headers['x-rewards-viewer-address'] = { value: event.viewer.ip };
  return request;
}
