/** The HTML of the API reference: Swagger UI with the joined document and the credentials of the demonstration. */
export const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<title>Rewards Platform: API reference</title>
<link rel="stylesheet" href="viewer/swagger-ui.css">
<link rel="icon" href="viewer/favicon-32x32.png">
<style>body{margin:0}nav{font:14px system-ui,sans-serif;padding:.75rem 1.5rem;background:#f4f4f5}nav a{margin-right:1.5rem}</style>
</head>
<body>
<nav>
<a href="openapi.json">OpenAPI document</a>
<a href="postman_collection.json" download>Postman collection</a>
<a href="postman_environment.json" download>Its environment for this platform</a>
</nav>
<main id="reference"></main>
<script src="viewer/swagger-ui-bundle.js"></script>
<script>
(async () => {
  const reference = document.getElementById('reference');
  reference.textContent = 'Making the examples …';
  const { hosts, document: spec, credentials, problem = '' } = await (await fetch('live.json')).json();
  document.querySelector('nav').append(problem);
  const ui = SwaggerUIBundle({
    spec,
    dom_id: '#reference',
    deepLinking: true,
    docExpansion: 'list',
    filter: true,
    validatorUrl: null,
    // For a browser, the hosts are other origins. So this server passes the requests on to them.
    showMutatedRequest: false,
    requestInterceptor: (request) => {
      const host = Object.keys(hosts).find((name) => request.url.startsWith(hosts[name] + '/'));
      if (host) request.url = '/send/' + host + request.url.slice(hosts[host].length).replace(/[#;][^?]*/, '');
      return request;
    },
    onComplete: () => {
      for (const scheme of ['partnerKey', 'userToken', 'bearer']) {
        if (credentials[scheme]) ui.preauthorizeApiKey(scheme, credentials[scheme]);
      }
      if (credentials.client) ui.preauthorizeBasic('client', credentials.client.id, credentials.client.secret);
    },
  });
})();
</script>
</body>
</html>
`;
