// The CloudFront Function of the dashboard's default behaviour. Its runtime has the language only.

/** Files of the application: those with a hash in their name, and those at the root, such as /icon.svg. */
const files = /^\/(?:assets\/.+|[^/]+\.[a-z0-9]+)$/;

/** Leads every route of the application to its page. The application reads the route from the address bar. */
function handler(event) {
  const request = event.request;
  if (!files.test(request.uri)) request.uri = '/index.html';
  return request;
}
